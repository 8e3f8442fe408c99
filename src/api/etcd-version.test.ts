import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { isVersionStep, normalizedEtcdVersion, parseEtcdVersion } from "./etcd-version.ts";

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

  const steps: [from: string, to: string, isStep: boolean][] = [
    ["3.5.16", "3.5.30", true],
    ["3.5.30", "3.5.16", true],
    ["3.4.23", "3.5.30", true],
    ["3.6.16", "3.5.35", true],
    ["3.4.23", "3.6.16", false],
    ["3.6.16", "3.4.23", false],
    ["3.7.3", "4.7.0", false],
  ];
  for (const [from, to, isStep] of steps) {
    test(`${from} → ${to} is ${isStep ? "one step" : "too far"}`, () => {
      const [running, wanted] = [parseEtcdVersion(from), parseEtcdVersion(to)];
      assert.ok(running && wanted);
      assert.equal(isVersionStep(running, wanted), isStep);
    });
  }
});
