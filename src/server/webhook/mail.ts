import { createTransport } from 'nodemailer';
import { isLoopback } from '../../platform/loopback.ts';
import { messageOf } from './formats.ts';
import { BadReceiver, type Receiver } from './receiver.ts';

/** Time in which a mail server must answer, in ms. */
const ANSWER_MS = 15_000;

/**
 * Notifications as e-mail: `smtp://user:password@mail.example:587?from=rollcall@example&to=ops@example`, or `smtps://…`.
 * @throws BadReceiver
 */
export function openMailReceiver(url: URL): Receiver {
  const [from, to] = [url.searchParams.get('from'), url.searchParams.get('to')];
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (!from || !to || host === '') {
    throw new BadReceiver(
      `is ${url.protocol}//${url.host} without from or to; allowed is smtp://mail.example:587?from=rollcall@example.com&to=ops@example.com`,
    );
  }
  const secure = url.protocol === 'smtps:';
  const transport = createTransport({
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    // Outside this machine neither password nor names travel in the clear.
    requireTLS: !secure && !isLoopback(host),
    ...(url.username !== '' && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    }),
    ...{ connectionTimeout: ANSWER_MS, greetingTimeout: ANSWER_MS, socketTimeout: ANSWER_MS },
  });
  return {
    host: url.host,
    send: async ({ id, body }) => {
      const { title, text } = messageOf(body);
      await transport.sendMail({ from, to, subject: title, text: `${text}\n`, messageId: `<${id}@rollcall>` });
    },
    close: async () => transport.close(),
  };
}
