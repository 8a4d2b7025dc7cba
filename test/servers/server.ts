/** A private server of one test file. Tests stop, kill and freeze it as they like: no one else uses it. */
export interface TestServer {
  /** `redis://…` or `postgres://…`, the same for as long as the server lives. */
  readonly url: string;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
  /** SIGKILL. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, on the same port and with the data that it has kept. */
  start(): Promise<void>;
  /** SIGSTOP: connections stay open, and nothing answers. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Forgets everything, at once. */
  flush(): Promise<void>;
}
