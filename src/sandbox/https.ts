import { randomBytes, webcrypto } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { messageOf } from '../errors/rollcall-error.ts';

/** Errors of TLS for a request that came over plain HTTP. */
const PLAIN_HTTP: ReadonlySet<unknown> = new Set(['ERR_SSL_HTTP_REQUEST', 'ERR_SSL_WRONG_VERSION_NUMBER']);
const PLAIN_HTTP_TEXT = 'This is an HTTPS port, and the request came over plain HTTP. Use an https:// address.\n';
const PLAIN_HTTP_REPLY = [
  'HTTP/1.1 400 Bad Request',
  'Content-Type: text/plain; charset=utf-8',
  `Content-Length: ${Buffer.byteLength(PLAIN_HTTP_TEXT)}`,
  'Connection: close',
  '',
  PLAIN_HTTP_TEXT,
].join('\r\n');

interface ListenerOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** Address of this machine. */
  readonly listenOn: string;
  /** PEM. */
  readonly cert: string;
  readonly key: string;
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
}

/** An HTTPS server, which answers plain HTTP with a 400 that says so. @throws Error that says why it cannot listen */
export async function listen({ port, listenOn, cert, key, onRequest }: ListenerOptions) {
  // Longer than clients keep an idle connection, so that no call meets one that is just being closed.
  const https = createServer({ cert, key, keepAliveTimeout: 120_000, noDelay: true }, onRequest);

  /** By the client's address: the TCP connection beneath TLS, which alone can be reset. */
  const sockets = new Map<string, Socket>();
  https.on('connection', (socket: Socket) => {
    const client = clientOf(socket);
    sockets.set(client, socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      if (sockets.get(client) === socket) sockets.delete(client);
    });
  });
  // A client that does not trust the certificate disconnects; that is not an error here.
  https.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    if (PLAIN_HTTP.has(error.code)) sockets.get(clientOf(socket))?.end(PLAIN_HTTP_REPLY);
    else socket.destroy();
  });

  https.listen(port, listenOn);
  try {
    await once(https, 'listening');
  } catch (error) {
    throw new Error(`port ${port} on ${listenOn} ${whyNot(error)}`, { cause: error });
  }
  const address = https.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server without a port');

  return {
    port: address.port,
    /** Resets the connection of a request instead of answering. */
    reset(request: IncomingMessage) {
      const socket = sockets.get(clientOf(request.socket));
      socket?.resetAndDestroy();
      request.socket.destroy();
    },
    /** Stops listening and cuts every connection. */
    async close() {
      const closed = once(https, 'close');
      https.close();
      https.closeAllConnections();
      for (const socket of sockets.values()) socket.destroy();
      await closed;
    },
  };
}

function whyNot(error: unknown) {
  switch (error instanceof Error && 'code' in error && error.code) {
    case 'EADDRINUSE':
      return 'is in use: choose another, or 0 for any free one';
    case 'EACCES':
      return 'needs rights that this user does not have: choose one above 1023';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'cannot be opened: this is not an address of this machine; choose one, such as 127.0.0.1';
    default:
      return `cannot be opened: ${messageOf(error)}`;
  }
}

function clientOf({ remoteAddress, remotePort }: Socket) {
  return `${remoteAddress} ${remotePort}`;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
/** Longer than any sandbox runs: its certificate is made once, at the start. */
const VALID_DAYS = 3_650;

/** Shared by the sandboxes of one process, so that clients can cache the certificate. */
const made = new Map<string, ReturnType<typeof makeCertificate>>();

export function certificateFor(names: readonly string[]) {
  const certificate = made.get(names.join()) ?? makeCertificate(names);
  made.set(names.join(), certificate);
  return certificate;
}

/** A server certificate for names, which may start with a wildcard, and its key: PEM. It is its own authority. */
export async function makeCertificate(names: readonly string[]) {
  // The certificate library needs this first. Both are loaded here, so that only certificates cost their loading time.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    // The name is unique, or a client that still trusts an earlier sandbox would report a broken signature.
    name: `CN=rollcall sandbox ${randomBytes(4).toString('hex')}`,
    // A day before and after, for clocks that are wrong.
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + VALID_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  return { cert: `${certificate.toString('pem')}\n`, key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY') };
}

/** Positive, as certificates require: the first bit is 0. */
function serialNumber() {
  return `01${randomBytes(15).toString('hex')}`;
}
