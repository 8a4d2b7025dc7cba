import { isIP } from 'node:net';
import { createTransport } from 'nodemailer';
import { isLoopback } from '../../platform/hosts.ts';
import { checkedHost as checkedAddress } from '../../sources/allowed-sources.ts';
import { messageOf } from './note.ts';
import { ANSWER_MS, badReceiver, checkedHost, type Receiver, requirePublic } from './receiver.ts';

/** `smtp://user:secret@mail.example:587?from=rollcall@example&to=ops@example`, or `smtps://…`. @throws BAD_RECEIVER */
export function openMailReceiver(url: URL, allowPrivate: boolean): Receiver {
  const [from, to] = [url.searchParams.get('from'), url.searchParams.get('to')];
  if (!from || !to || url.hostname === '') {
    throw badReceiver(
      `is ${url.protocol}//${url.host} without from or to; allowed is smtp://mail.example:587?from=rollcall@example.com&to=ops@example.com`,
    );
  }
  const host = checkedHost(url, allowPrivate);
  const secure = url.protocol === 'smtps:';
  const options = {
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    // The connection goes to an address; the certificate is the one of the name.
    ...(isIP(host) === 0 && { tls: { servername: host } }),
    // Outside this machine neither password nor names travel in the clear.
    requireTLS: !secure && !isLoopback(host),
    ...(url.username !== '' && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    }),
    connectionTimeout: ANSWER_MS,
    greetingTimeout: ANSWER_MS,
    socketTimeout: ANSWER_MS,
  };
  return {
    host: url.host,
    send: async ({ id, body }) => {
      const { title, text } = messageOf(body);
      const address = await checkedAddress(host, allowPrivate ? undefined : requirePublic);
      const transport = createTransport({ ...options, host: address });
      await transport.sendMail({ from, to, subject: title, text: `${text}\n`, messageId: `<${id}@rollcall>` });
    },
    close: async () => {},
  };
}
