import { asError } from '../errors/message-of.ts';

export interface Repeated {
  /** Resolves when it does nothing more. */
  stop(): Promise<void>;
}

/** Runs `look` again and again, one run after the other, also after an error. */
export function repeatedly(everyMs: number, onError: (error: Error) => void, look: () => Promise<void>): Repeated {
  let underWay = Promise.resolve();
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;
  const later = () => {
    timer = setTimeout(() => {
      underWay = look()
        .catch((error: unknown) => onError(asError(error)))
        .finally(() => {
          if (!stopping) later();
        });
    }, everyMs).unref();
  };
  later();
  return {
    stop: async () => {
      stopping = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
