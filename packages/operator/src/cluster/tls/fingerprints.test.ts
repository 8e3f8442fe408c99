import assert from "node:assert/strict";
import { anAuthority, DAY_MS, type Issued, issue, NOW_MS } from "@etcd-operator/testing/tls/issue.ts";
import { SecretsUnderTest, SOUND } from "@etcd-operator/testing/tls/tls-secrets.ts";
import { beforeAll, describe, test } from "vitest";
import { isIn } from "./ca-annotations.ts";
import { parseCertificate } from "./certificate.ts";
import { fingerprintsOf } from "./fingerprints.ts";

describe("the fingerprints of the Secrets", () => {
  let secrets: SecretsUnderTest;
  let other: Issued;

  beforeAll(async () => {
    [secrets, other] = await Promise.all([SecretsUnderTest.create(), anAuthority("CN=other")]);
  });

  test("are the same for the same files", () => {
    assert.deepEqual(fingerprintsOf(secrets.with({})), fingerprintsOf(secrets.with({})));
  });

  test("change in the certificate alone when it is reissued, or sends another authority along", async () => {
    const before = fingerprintsOf(secrets.with({})).peer;
    const { cert, key } = await issue({ ...SOUND.peer, by: secrets.ca });
    const longer = `${secrets.files("peer").certificate}${other.cert}`;
    for (const files of [{ certificate: cert, key }, { certificate: longer }]) {
      const after = fingerprintsOf(secrets.with({ peer: files })).peer;
      assert.notEqual(after?.leaf, before?.leaf);
      assert.equal(after?.ca, before?.ca);
    }
  });

  test("change in the bundle alone when an authority is added", () => {
    const [before, after] = [fingerprintsOf(secrets.with({})).peer, bundled(secrets.ca, other)];
    assert.notEqual(after?.ca, before?.ca);
    assert.equal(after?.leaf, before?.leaf);
  });

  test("do not depend on the order of a bundle, nor on what is in it twice", () => {
    assert.equal(bundled(secrets.ca, other)?.ca, bundled(other, secrets.ca, other)?.ca);
  });

  test("change when an authority is renewed, but it is found in the old bundle by its key", async () => {
    const renewed = await anAuthority("CN=ca", { keys: secrets.ca.keys, notAfterMs: NOW_MS + 999 * DAY_MS });
    const [before, after] = [bundled(secrets.ca)?.ca ?? "", bundled(renewed)?.ca ?? ""];
    assert.notEqual(before, after);
    assert.ok(isIn(before, parseCertificate(renewed.cert).identity));
    assert.ok(!isIn(before, parseCertificate(other.cert).identity));
  });

  test("are absent for what is not there, and hold nothing for what cannot be parsed", () => {
    const found = fingerprintsOf({
      ...secrets.with({ peer: { certificate: "hello", ca: "" } }),
      operator: { kind: "missing", name: "operator" },
    });
    assert.deepEqual(Object.keys(found), ["peer", "server"]);
    assert.deepEqual(found.peer, { leaf: undefined, ca: undefined });
  });

  function bundled(...authorities: readonly Issued[]) {
    return fingerprintsOf(secrets.withBundle(...authorities)).peer;
  }
});
