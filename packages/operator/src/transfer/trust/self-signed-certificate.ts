import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

export interface SelfSigned {
  /** In PEM, both. */
  readonly cert: string;
  readonly key: string;
}

export interface CertificateRequest {
  /** The DNS name that it carries. */
  readonly name: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/**
 * A key of P-256 and a certificate that it signed itself. It issues no others and its one peer compares it byte for
 * byte, so it needs little; a library that can do all of X.509 would cost the operator 17 MB of memory.
 */
export function selfSignedCertificate(request: CertificateRequest): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signed = body(request, publicKey.export({ type: "spki", format: "der" }));
  const signature = bitString(sign("sha256", signed, privateKey));
  const cert = sequence(signed, sequence(ECDSA_WITH_SHA256), signature).toString("base64");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${cert.replace(/.{64}(?=.)/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** TBSCertificate of RFC 5280, version 3. */
function body({ name, notBefore, notAfter }: CertificateRequest, publicKey: Buffer): Buffer {
  const itself = sequence(
    set(sequence(COMMON_NAME, tagged(UTF8_STRING, Buffer.from(name.slice(0, LONGEST_COMMON_NAME))))),
  );
  return sequence(
    tagged(EXPLICIT | 0, integer(Buffer.from([2]))),
    integer(serialNumber()),
    sequence(ECDSA_WITH_SHA256),
    itself,
    sequence(time(notBefore), time(notAfter)),
    itself,
    publicKey,
    tagged(EXPLICIT | 3, sequence(...extensions(name))),
  );
}

function extensions(name: string): Buffer[] {
  const dnsName = tagged(CONTEXT | 2, Buffer.from(name));
  return [
    extension(KEY_USAGE, bitString(Buffer.from([DIGITAL_SIGNATURE]), 7)),
    // etcd shows its own certificate to itself as a client, too.
    extension(EXTENDED_KEY_USAGE, sequence(SERVER_AUTH, CLIENT_AUTH)),
    extension(SUBJECT_ALTERNATIVE_NAME, sequence(dnsName)),
  ];
}

function extension(id: Buffer, value: Buffer): Buffer {
  return sequence(id, tagged(OCTET_STRING, value));
}

function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  // Positive, and no byte too many.
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}

// DER: what it is, how long it is, what is in it.
const LONGEST_COMMON_NAME = 64;
const UTF8_STRING = 0x0c;
const OCTET_STRING = 0x04;
const CONTEXT = 0x80;
const EXPLICIT = 0xa0;
const DIGITAL_SIGNATURE = 0x80;

const ECDSA_WITH_SHA256 = objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02);
const COMMON_NAME = objectId(0x55, 0x04, 0x03);
const KEY_USAGE = objectId(0x55, 0x1d, 0x0f);
const EXTENDED_KEY_USAGE = objectId(0x55, 0x1d, 0x25);
const SUBJECT_ALTERNATIVE_NAME = objectId(0x55, 0x1d, 0x11);
const SERVER_AUTH = objectId(0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01);
const CLIENT_AUTH = objectId(0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02);

function tagged(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content)]), content]);
}

function lengthOf({ length }: Buffer): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function set(...parts: readonly Buffer[]): Buffer {
  return tagged(0x31, Buffer.concat(parts));
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes);
}

function bitString(bytes: Buffer, unusedBits = 0): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.from([unusedBits]), bytes]));
}

function objectId(...bytes: readonly number[]): Buffer {
  return tagged(0x06, Buffer.from(bytes));
}

/** UTCTime up to 2049, as the standard demands; nothing here lives longer. */
function time(date: Date): Buffer {
  return tagged(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replace(/[-T:]/g, "")}Z`));
}
