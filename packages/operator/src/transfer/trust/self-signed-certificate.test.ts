import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { selfSignedCertificate } from "./self-signed-certificate.ts";

const validity = { notBefore: new Date("2030-01-01T00:00:00Z"), notAfter: new Date("2039-12-31T23:59:59Z") };

test("says what it was asked to, in a form that others read", () => {
  const certificate = new X509Certificate(selfSignedCertificate({ name: "example-a", ...validity }).cert);
  expect([certificate.subject, certificate.issuer]).toEqual(["CN=example-a", "CN=example-a"]);
  expect(certificate.subjectAltName).toBe("DNS:example-a");
  expect(certificate.checkHost("example-a")).toBe("example-a");
  expect(new Date(certificate.validFrom)).toEqual(validity.notBefore);
  expect(new Date(certificate.validTo)).toEqual(validity.notAfter);
  // For servers and for clients.
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
});

test("whatever its numbers happen to be", () => {
  const serials = Array.from({ length: 200 }, () => {
    const { cert, key } = selfSignedCertificate({ name: "example-a", ...validity });
    const certificate = new X509Certificate(cert);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----/);
    return certificate.serialNumber;
  });
  expect(new Set(serials).size).toBe(serials.length);
});

test("a name that is longer than a common name may be is complete where it counts", () => {
  const name = Array.from({ length: 5 }, () => "a".repeat(40)).join(".");
  const certificate = new X509Certificate(selfSignedCertificate({ name, ...validity }).cert);
  expect(certificate.subjectAltName).toBe(`DNS:${name}`);
  expect(certificate.subject).toBe(`CN=${name.slice(0, 64)}`);
});
