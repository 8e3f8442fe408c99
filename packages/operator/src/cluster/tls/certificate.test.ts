import assert from "node:assert/strict";
import { anAuthority, type CertificateRequest, DAY_MS, issue, NOW_MS } from "@etcd-operator/testing/tls/issue.ts";
import { describe, test } from "vitest";
import { isIssuedBy, parseCertificate } from "./certificate.ts";

describe("what is known of a certificate", () => {
  test("its subject in one line, its names in lower case, its usages and its time", async () => {
    const certificate = await parsed({
      subject: "O=one, CN=two",
      dnsNames: ["*.Example.prod.svc", "localhost"],
      usages: ["serverAuth"],
    });
    assert.equal(certificate.subject, "O=one, CN=two");
    assert.deepEqual(certificate.dnsNames, ["*.example.prod.svc", "localhost"]);
    assert.deepEqual(certificate.usages, ["1.3.6.1.5.5.7.3.1"]);
    assert.equal(certificate.notBeforeMs, NOW_MS - DAY_MS);
    assert.equal(certificate.notAfterMs, NOW_MS + 365 * DAY_MS);
    assert.equal(certificate.isCa, false);
    assert.equal(certificate.weakness, undefined);
  });

  test("a day of the month with one digit is read, too", async () => {
    const notAfterMs = Date.parse("2027-02-03T04:05:06Z");
    assert.equal((await parsed({ notAfterMs })).notAfterMs, notAfterMs);
  });

  test("without the extension it has no names, and may be used for anything", async () => {
    const { dnsNames, usages } = await parsed({});
    assert.deepEqual(dnsNames, []);
    assert.equal(usages, undefined);
  });

  test("a name that is made to look like two is none", async () => {
    const { dnsNames } = await parsed({ dnsNames: ["a, DNS:*.example.prod.svc, DNS:b", "c"] });
    assert.ok(!dnsNames.includes("*.example.prod.svc"), `found in ${dnsNames}`);
    assert.ok(dnsNames.includes("c"));
  });

  test("an authority that may not sign certificates is none", async () => {
    assert.equal((await parsed({ isCa: true })).isCa, true);
    assert.equal((await parsed({ isCa: true, mayNotSign: true })).isCa, false);
  });

  test.each<[string, CertificateRequest, RegExp | undefined]>([
    ["RSA of 1024 bits", { algorithm: "rsa1024" }, /RSA key of 1024 bits/],
    ["RSA of 2048 bits", { algorithm: "rsa2048" }, undefined],
    ["Ed25519", { algorithm: "ed25519" }, undefined],
  ])("the strength of %s", async (_, request, said) => {
    const { weakness } = await parsed({ ...request, by: await anAuthority() });
    if (said) assert.match(weakness ?? "", said);
    else assert.equal(weakness, undefined);
  });

  test.each(["ec", "rsa2048"] as const)(
    "SHA-1 under a signature with %s is weak, but not in a root",
    async (algorithm) => {
      const authority = await anAuthority("CN=ca", { algorithm, isSha1: true });
      assert.equal(parseCertificate(authority.cert).weakness, undefined);
      assert.match((await parsed({ by: authority, isSha1: true })).weakness ?? "", /SHA-1/);
      assert.equal((await parsed({ by: await anAuthority("CN=ca", { algorithm }) })).weakness, undefined);
    },
  );

  test("two certificates of one authority have one identity and two digests", async () => {
    const before = await anAuthority();
    const renewed = await anAuthority("CN=ca", { keys: before.keys, notAfterMs: NOW_MS + 999 * DAY_MS });
    const [a, b] = [parseCertificate(before.cert), parseCertificate(renewed.cert)];
    assert.equal(a.identity, b.identity);
    assert.notEqual(a.digest, b.digest);
    const [other, sameName] = [await anAuthority("CN=other", { keys: before.keys }), await anAuthority()];
    for (const { cert } of [other, sameName]) assert.notEqual(parseCertificate(cert).identity, a.identity);
  });

  test("it is issued by its signer, not by a namesake", async () => {
    const [authority, namesake] = [await anAuthority(), await anAuthority()];
    const leaf = await parsed({ by: authority });
    const [issuer, other] = [parseCertificate(authority.cert), parseCertificate(namesake.cert)];
    // The second time it is remembered.
    for (const _ of [1, 2]) assert.deepEqual([isIssuedBy(leaf, issuer), isIssuedBy(leaf, other)], [true, false]);
    assert.deepEqual([isIssuedBy(issuer, leaf), isIssuedBy(issuer, issuer)], [false, true]);
  });

  async function parsed(request: CertificateRequest) {
    return parseCertificate((await issue(request)).cert);
  }
});
