import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

interface ServerIdentity {
  readonly key: string;
  readonly cert: string;
}

/** A certificate authority for one test file, with servers it vouches for. All in PEM. */
export interface Authority {
  readonly ca: string;
  issue(names: readonly string[]): Promise<ServerIdentity>;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export async function createAuthority(): Promise<Authority> {
  const keys = await newKeys();
  const root: X509Certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=Test authority',
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new BasicConstraintsExtension(true, 0, true)],
  });
  return {
    ca: root.toString('pem'),
    async issue(names) {
      const serverKeys = await newKeys();
      const cert = await X509CertificateGenerator.create({
        subject: 'CN=Test server',
        issuer: root.subject,
        publicKey: serverKeys.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value })))],
      });
      return { key: await privateKeyPem(serverKeys.privateKey), cert: cert.toString('pem') };
    },
  };
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return (await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
}

async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n`;
}
