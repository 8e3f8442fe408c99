import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, test } from "vitest";
import { KubeletError } from "../kubelet-error.ts";
import { containerPath, volumeMounts } from "./volume-mounts.ts";

const machine = mkdtempSync(join(tmpdir(), "volume-mounts-"));
const volume = join(machine, "volume");
mkdirSync(join(volume, "folder"), { recursive: true });
mkdirSync(join(machine, "elsewhere"));
symlinkSync(join(machine, "elsewhere"), join(volume, "out"));
symlinkSync("folder", join(volume, "in"));
symlinkSync("/nowhere/at/all", join(volume, "broken"));

afterAll(() => rmSync(machine, { recursive: true }));

function mountOf(subPath: string) {
  const container = { name: "main", volumeMounts: [{ name: "data", mountPath: "/data", subPath }] };
  return volumeMounts(
    container,
    new Map([["data", { source: volume, isPayload: false, isReadOnly: false }]]),
    new Map(),
  )[0];
}

const isRefusal = (error: unknown) => error instanceof KubeletError && error.code === "invalid-pod";

describe("a subPath", () => {
  test("is a folder of the volume, made when it is missing", () => {
    assert.equal(mountOf("folder")?.source, join(volume, "folder"));
    assert.equal(mountOf("new/deep")?.source, join(volume, "new/deep"));
    assert.ok(existsSync(join(volume, "new/deep")));
  });

  test("may go through a link that stays in the volume", () => {
    assert.equal(mountOf("in")?.source, join(volume, "folder"));
  });

  for (const path of ["out", "out/deeper", "broken", "broken/x", "../elsewhere", "/etc"]) {
    test(`"${path}", which leads out of the volume, is refused, and nothing is made outside`, () => {
      assert.throws(() => mountOf(path), isRefusal);
      assert.ok(!existsSync(join(machine, "elsewhere", "deeper")));
    });
  }
});

test("a container's path starts at its own root, however many .. it has", () => {
  assert.equal(containerPath("/../../tmp/x"), "/tmp/x");
  assert.equal(containerPath("data/"), "/data");
  assert.equal(containerPath("/"), "/");
});
