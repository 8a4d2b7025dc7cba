import { randomBytes, webcrypto } from 'node:crypto';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
/** Longer than any sandbox runs: its certificate is made once, at the start. */
const VALID_DAYS = 3_650;

/** All PEM. */
export interface Certificates {
  /** Certificate of the authority: who trusts it trusts this one server. */
  readonly caPem: string;
  readonly serverPem: string;
  readonly serverKeyPem: string;
}

/**
 * A certificate authority of its own and a server certificate for the names, which may start with a wildcard.
 * The authority's key is never exported and is dropped after this call, so nothing else can be signed with it.
 */
export async function makeCertificates(names: readonly string[]): Promise<Certificates> {
  // The certificate library needs this first. Both are loaded here, so that only certificates cost their loading time.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const [caKeys, serverKeys] = await Promise.all([
    webcrypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify']),
    webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']),
  ]);
  // A day before and after, for clocks that are wrong.
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + VALID_DAYS * DAY_MS) };
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    // The name is unique, or a client that still trusts an earlier sandbox would report a broken signature.
    name: `CN=rollcall sandbox ${randomBytes(4).toString('hex')}`,
    ...validity,
    signingAlgorithm: ALGORITHM,
    keys: caKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const server = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: 'CN=rollcall sandbox server',
    issuer: ca.subject,
    ...validity,
    signingAlgorithm: ALGORITHM,
    publicKey: serverKeys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
      await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', serverKeys.privateKey));
  return {
    caPem: `${ca.toString('pem')}\n`,
    serverPem: `${server.toString('pem')}\n`,
    serverKeyPem: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'),
  };
}

/** Positive, as certificates require: the first bit is 0. */
function serialNumber(): string {
  return `01${randomBytes(15).toString('hex')}`;
}
