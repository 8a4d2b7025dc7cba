import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { onTestFinished } from 'vitest';

interface Mail {
  readonly to: readonly string[];
  readonly text: string;
}

/** Takes e-mail until the test ends. `url` is the receiver in rollcall's settings. */
export async function startMailServer(): Promise<{ url: string; mails: readonly Mail[] }> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, { envelope }, done) => {
      stream.toArray().then((pieces) => {
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), text: Buffer.concat(pieces).toString() });
        done();
      }, done);
    },
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close(() => {}));
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}?from=rollcall@example.com&to=ops@example.com`, mails };
}
