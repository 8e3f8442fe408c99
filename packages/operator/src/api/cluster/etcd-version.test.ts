import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { normalizedEtcdVersion, parseEtcdVersion } from "./etcd-version.ts";

describe("versions of etcd", () => {
  test("a version is read with and without its leading v", () => {
    assert.deepEqual(parseEtcdVersion("v3.5.16"), { major: 3, minor: 5, patch: 16 });
    assert.deepEqual(parseEtcdVersion("3.2.13"), { major: 3, minor: 2, patch: 13 });
    assert.equal(normalizedEtcdVersion("v3.5.16"), "3.5.16");
  });

  test("what is not a release is no version", () => {
    for (const text of ["", "3", "3.5", "3.5.x", "3.5.16-rc.1", "vv3.5.16", "3.5.16 ", "3.05.16", "3.5.99999"]) {
      assert.equal(parseEtcdVersion(text), undefined, text);
    }
  });
});
