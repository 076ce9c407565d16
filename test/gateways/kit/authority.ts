/**
 * The certificate authority of one set of gateways: made at start, kept in memory, gone with the process.
 * Must not know which services present its certificates.
 */
import { generateKeyPair, sign } from 'node:crypto';
import { promisify } from 'node:util';
import forge from 'node-forge';

const CA_NAME = [{ name: 'commonName', value: 'Countersign gateways (throw-away)' }];
const LEAF_NAME = [{ name: 'commonName', value: 'localhost' }];
/** Names a test may resolve to loopback; the real hosts, so that a client needs no second set of names. */
export const CERTIFIED_NAMES = [
  'localhost',
  '*.gateway.test',
  'api.push.apple.com',
  'api.sandbox.push.apple.com',
  'fcm.googleapis.com',
  'oauth2.googleapis.com',
  'www.googleapis.com',
  'web.push.apple.com',
  'updates.push.services.mozilla.com',
] as const;
/** RSA, because node-forge knows no other keys; made by node, because node-forge is slow at it. */
const RSA_PEM = {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const;
const DNS = 2;
const IP = 7;

export interface Authority {
  /** PEM of the certificate to trust (`ca` of node:tls, NODE_EXTRA_CA_CERTS). */
  readonly ca: string;
  /** PEM of the key and certificate each gateway presents. */
  readonly key: string;
  readonly cert: string;
}

/**
 * A CA and one leaf for `CERTIFIED_NAMES` and 127.0.0.1, valid from yesterday for ten years of the wall clock. Both have the
 * same key, which halves the time of starting; nobody is protected by this CA.
 */
export async function createAuthority(): Promise<Authority> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', RSA_PEM);
  const ca = certificate('01', publicKey, CA_NAME, [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, critical: true },
  ]);
  const leaf = certificate('02', publicKey, LEAF_NAME, [
    { name: 'basicConstraints', cA: false },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectAltName', altNames: alternativeNames() },
  ]);
  for (const each of [ca, leaf]) signCertificate(each, privateKey);
  return {
    ca: forge.pki.certificateToPem(ca),
    key: privateKey,
    cert: forge.pki.certificateToPem(leaf),
  };
}

function certificate(
  serial: string,
  publicKey: string,
  subject: forge.pki.CertificateField[],
  extensions: object[],
): forge.pki.Certificate {
  const made = forge.pki.createCertificate();
  made.publicKey = forge.pki.publicKeyFromPem(publicKey);
  made.serialNumber = serial;
  made.validity.notBefore = new Date(Date.now() - 86_400_000);
  made.validity.notAfter = new Date(Date.now() + 3_650 * 86_400_000);
  made.setSubject(subject);
  made.setIssuer(CA_NAME);
  made.setExtensions(extensions);
  return made;
}

/** Public in the library, missing in its types. */
const untyped = forge.pki as unknown as {
  getTBSCertificate(certificate: forge.pki.Certificate): forge.asn1.Asn1;
};

/** `Certificate.sign`, with node's arithmetic: the library's own takes longer than all the rest of starting. */
function signCertificate(certificate: forge.pki.Certificate, privateKey: string): void {
  const oid = forge.pki.oids.sha256WithRSAEncryption ?? '';
  certificate.signatureOid = oid;
  certificate.siginfo.algorithmOid = oid;
  certificate.tbsCertificate = untyped.getTBSCertificate(certificate);
  const signed = Buffer.from(forge.asn1.toDer(certificate.tbsCertificate).getBytes(), 'binary');
  certificate.signature = sign('sha256', signed, privateKey).toString('binary');
}

function alternativeNames(): object[] {
  return [...CERTIFIED_NAMES.map((value) => ({ type: DNS, value })), { type: IP, ip: '127.0.0.1' }];
}
