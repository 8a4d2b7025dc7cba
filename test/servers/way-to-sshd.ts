import { writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { tempDir } from '../temp-dir.ts';
import type { Sshd } from './sshd.ts';

/** A way to a server on which connections stand still after some bytes from the client. */
export interface Way {
  /** An address of the server, by this way. */
  addressOf(address: string): string;
  /** The settings by which its host is known. */
  readonly trusted: { readonly knownHosts: string };
}

/** @param onStill called once for each connection that stands still, with what ends it */
export async function wayTo(sshd: Sshd, onStill: (end: () => void) => void, bytes = 2_000_000): Promise<Way> {
  const open = new Set<Socket>();
  const between = createServer((client) => {
    const server = connect(sshd.port, '127.0.0.1');
    const both = [client, server];
    const end = () => both.forEach((socket) => void socket.destroy());
    let come = 0;
    for (const socket of both) {
      open.add(socket);
      socket.on('error', () => {}).on('close', () => open.delete(socket));
    }
    // One that has gone takes the other with it.
    client.on('close', end);
    server.pipe(client);
    client.on('data', (piece) => {
      const before = come;
      come += piece.length;
      if (come < bytes) server.write(piece);
      else if (before < bytes) onStill(end);
    });
  });
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    between.close();
  });
  const { port } = between.address() as { port: number };
  const byThisWay = (text: string) => text.replace(`:${sshd.port}`, `:${port}`);
  const knownHosts = join(tempDir(), 'known_hosts');
  writeFileSync(knownHosts, byThisWay(sshd.hostLine));
  return { addressOf: byThisWay, trusted: { knownHosts } };
}
