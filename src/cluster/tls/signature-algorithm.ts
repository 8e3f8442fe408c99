// The object ids of RSA with MD5, RSA with SHA-1 and ECDSA with SHA-1, as DER writes them.
const BROKEN = ["2a864886f70d010104", "2a864886f70d010105", "2a8648ce3d0401"];

/** Whether a certificate, in DER, is signed over a digest that can be forged. Node tells the algorithm from version 24 on only. */
export function hasBrokenSignature(der: Uint8Array): boolean {
  const certificate = valueAt(der, 0);
  const signatureAlgorithm = valueAt(der, valueAt(der, certificate.start).end);
  const { start, end } = valueAt(der, signatureAlgorithm.start);
  return BROKEN.includes(Buffer.from(der.subarray(start, end)).toString("hex"));
}

/** Where the value begins and ends of the element whose tag is at an offset. OpenSSL has parsed it before us: it is sound. */
function valueAt(der: Uint8Array, offset: number): { readonly start: number; readonly end: number } {
  const length = der[offset + 1] ?? 0;
  if (length < 0x80) return { start: offset + 2, end: offset + 2 + length };
  const start = offset + 2 + (length & 0x7f);
  const long = der.subarray(offset + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
  return { start, end: start + long };
}
