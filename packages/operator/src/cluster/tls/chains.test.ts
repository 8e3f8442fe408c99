import assert from "node:assert/strict";
import { anAuthority, type Issued, issue } from "@etcd-operator/testing/tls/issue.ts";
import { beforeAll, describe, test } from "vitest";
import { parseCertificate } from "./certificate.ts";
import { chainsTo } from "./chains.ts";

describe("the chains of a certificate", () => {
  let root: Issued;
  let between: Issued;
  let leaf: Issued;

  beforeAll(async () => {
    root = await anAuthority("CN=root");
    between = await anAuthority("CN=between", { by: root });
    leaf = await issue({ by: between });
  });

  test("lead through the intermediates that are sent along to the root", () => {
    assert.deepEqual(chains([root], leaf, [between]), [["CN=leaf", "CN=between", "CN=root"]]);
  });

  test("do not lead over a gap", () => {
    assert.deepEqual(chains([root], leaf, []), []);
  });

  test("end at a trusted authority, also below the root", () => {
    assert.deepEqual(chains([between], leaf, []), [["CN=leaf", "CN=between"]]);
    assert.deepEqual(chains([root, between], leaf, [between]), [["CN=leaf", "CN=between"]]);
  });

  test("are one certificate long when it is trusted itself", async () => {
    const alone = await issue();
    assert.deepEqual(chains([alone], alone, []), [["CN=leaf"]]);
    assert.deepEqual(chains([leaf], leaf, []), [["CN=leaf"]]);
  });

  test("do not lead over a certificate that is no authority, nor over a namesake", async () => {
    const duplicate = await issue({ subject: "CN=duplicate", by: root });
    assert.deepEqual(chains([root], await issue({ by: duplicate }), [duplicate]), []);
    assert.deepEqual(chains([await anAuthority("CN=root")], leaf, [between]), []);
  });

  test("are two when an authority has two certificates, and none is endless when authorities sign each other", async () => {
    const other = await anAuthority("CN=other");
    const crossed = await anAuthority("CN=root", { by: other, keys: root.keys });
    const back = await anAuthority("CN=other", { by: root, keys: other.keys });
    assert.deepEqual(chains([root, other], leaf, [between, crossed, back]), [
      ["CN=leaf", "CN=between", "CN=root"],
      ["CN=leaf", "CN=between", "CN=root", "CN=other"],
    ]);
  });
});

function chains(pool: readonly Issued[], leaf: Issued, intermediates: readonly Issued[]): string[][] {
  const parsed = (issued: readonly Issued[]) => issued.map(({ cert }) => parseCertificate(cert));
  const presented = { leaf: parseCertificate(leaf.cert), intermediates: parsed(intermediates) };
  return chainsTo(parsed(pool), presented).map((chain) => chain.map(({ subject }) => subject));
}
