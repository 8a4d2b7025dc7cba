import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can lose the bytes of its connections without closing them, as a firewall that lost its state does. */
export interface Proxy {
  readonly port: number;
  /** From now on nothing of the connections that are open arrives. New ones work. */
  swallow(): void;
  /** Closes every connection. */
  cut(): void;
  close(): Promise<void>;
}

/** @param delayMs how much later everything arrives, in each direction */
export async function startProxy(targetPort: number, delayMs = 0): Promise<Proxy> {
  const links = new Set<{ readonly sockets: readonly Socket[]; swallowed: boolean }>();
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    const link = { sockets: [client, target], swallowed: false };
    links.add(link);
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (bytes) => {
        const deliver = () => void (link.swallowed || to.destroyed || to.write(bytes));
        if (delayMs > 0) setTimeout(deliver, delayMs);
        else deliver();
      });
      from
        .on('error', () => {})
        .on('close', () => {
          links.delete(link);
          to.destroy();
        });
    };
    pass(client, target);
    pass(target, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const { sockets } of links) for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    swallow: () => {
      for (const link of links) link.swallowed = true;
    },
    cut,
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
