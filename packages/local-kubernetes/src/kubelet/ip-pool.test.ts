import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { IpPool, nthAddress } from "./ip-pool.ts";
import { KubeletError } from "./kubelet-error.ts";

function aFile(): string {
  const dir = mkdtempSync(join(tmpdir(), "ip-pool-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return join(dir, "kubelet", "last-address");
}

test("addresses go round; the edges and the bridge's are never given", () => {
  const pool = new IpPool("10.88.0.0/29", ["10.88.0.1"], aFile());
  const given = Array.from({ length: 5 }, () => pool.take());
  assert.deepEqual(given, ["10.88.0.2", "10.88.0.3", "10.88.0.4", "10.88.0.5", "10.88.0.6"]);
  assert.throws(
    () => pool.take(),
    (error) => error instanceof KubeletError && error.code === "set-up-failed",
  );
  pool.giveBack("10.88.0.5");
  pool.giveBack("10.88.0.3");
  assert.equal(pool.take(), "10.88.0.3");
});

test("an address that was given back is not the next one, also after a restart", () => {
  const file = aFile();
  const pool = new IpPool("10.88.0.0/17", ["10.88.0.1"], file);
  const first = pool.take();
  pool.giveBack(first);
  assert.equal(pool.take(), "10.88.0.3");
  assert.equal(new IpPool("10.88.0.0/17", [], file).take(), "10.88.0.4");
});

test("nthAddress counts over the parts", () => {
  assert.equal(nthAddress("10.88.128.0/17", 1), "10.88.128.1");
  assert.equal(nthAddress("10.88.0.0/16", 256), "10.88.1.0");
});
