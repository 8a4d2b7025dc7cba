import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import { onTestFinished } from 'vitest';

/** Stands before a server, at an address of its own where the server can go away and come back. */
export interface Front {
  readonly url: string;
  /** Breaks off what is under way; from then on nothing listens there. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  /** From now on only the beginning of an upload passes, until it is released. */
  hold(): void;
  release(): void;
  /** The event streams that are open stay so for the caller, and bring nothing more. */
  loseStreams(): void;
}

export async function standBefore(server: string): Promise<Front> {
  const { hostname, port } = new URL(server);
  const callers = new Set<Socket>();
  const streams = new Set<{ isLost: boolean }>();
  let held = Promise.withResolvers<void>();
  held.resolve();
  const front = createServer((caller) => {
    callers.add(caller.once('close', () => callers.delete(caller)));
    const behind = connect(Number(port), hostname);
    let isUpload = false;
    const gate = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        // The connection of an upload may bring other requests after it.
        const begins = /^[A-Z]+ \//.test(chunk.toString('latin1', 0, 10));
        if (isUpload && !begins) void held.promise.then(() => done(null, chunk));
        else done(null, chunk);
        if (begins) isUpload = chunk.subarray(0, 100).includes('POST /v1/imports?');
        if (/^GET \S+\/events /.test(chunk.toString('latin1'))) streams.add(way);
      },
    });
    const way = { isLost: false };
    const back = new Transform({
      transform: (chunk: Buffer, _encoding, done) => (way.isLost ? done() : done(null, chunk)),
    });
    // The end of one side ends the other.
    pipeline(caller, gate, behind, back, caller, () => undefined);
  });
  const listen = async (at: number) => {
    front.listen(at, hostname);
    await once(front, 'listening');
  };
  const goAway = async () => {
    for (const caller of callers) caller.destroy();
    await new Promise((resolve) => front.close(resolve));
  };
  await listen(0);
  onTestFinished(goAway);
  const address = front.address();
  if (address === null || typeof address === 'string') throw new Error('it listens at no port');
  return {
    url: `http://${hostname}:${address.port}`,
    goAway,
    comeBack: () => listen(address.port),
    hold: () => {
      held = Promise.withResolvers();
    },
    release: () => held.resolve(),
    loseStreams: () => {
      for (const way of streams) way.isLost = true;
      streams.clear();
    },
  };
}
