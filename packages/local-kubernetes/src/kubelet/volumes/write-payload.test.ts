import assert from "node:assert/strict";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { writePayload } from "./write-payload.ts";

const now = new Date("2026-01-01T00:00:00Z");

function aFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), "payload-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return join(dir, "volume");
}

const file = (path: string, text: string, mode = 0o644) => ({ path, mode, content: Buffer.from(text) });

test("files appear under their names with their modes, also in folders", () => {
  const dir = aFolder();
  assert.equal(writePayload(dir, [file("a", "1", 0o400), file("b/c", "2")], now), true);
  assert.deepEqual(
    readdirSync(dir).filter((name) => !name.startsWith("..")),
    ["a", "b"],
  );
  assert.equal(readFileSync(join(dir, "b/c"), "utf8"), "2");
  assert.equal(statSync(join(dir, "a")).mode & 0o777, 0o400);
  assert.ok(lstatSync(join(dir, "a")).isSymbolicLink());
});

test("a change swaps all files together and removes what is no longer there", () => {
  const dir = aFolder();
  writePayload(dir, [file("a", "1"), file("gone", "x")], now);
  const before = realpathSync(join(dir, "..data"));
  assert.equal(writePayload(dir, [file("a", "2"), file("new", "y")], now), true);
  assert.notEqual(realpathSync(join(dir, "..data")), before);
  assert.deepEqual(
    readdirSync(dir).filter((name) => !name.startsWith("..")),
    ["a", "new"],
  );
  assert.equal(readFileSync(join(dir, "a"), "utf8"), "2");
  assert.equal(readdirSync(dir).filter((name) => name.startsWith("..")).length, 2);
});

test("nothing is touched while nothing changes", () => {
  const dir = aFolder();
  writePayload(dir, [file("a", "1")], now);
  assert.equal(writePayload(dir, [file("a", "1")], now), false);
  assert.equal(writePayload(dir, [file("a", "1", 0o600)], now), true);
});

test("many changes within a millisecond all arrive", () => {
  const dir = aFolder();
  for (const text of ["1", "2", "3", "4"]) {
    writePayload(dir, [file("a", text)], now);
    assert.equal(readFileSync(join(dir, "a"), "utf8"), text);
  }
});

test("an empty volume is an empty folder", () => {
  const dir = aFolder();
  assert.equal(writePayload(dir, [], now), true);
  assert.deepEqual(
    readdirSync(dir).filter((name) => !name.startsWith("..")),
    [],
  );
  assert.equal(writePayload(dir, [], now), false);
});

test("what a killed kubelet left half done blocks nothing, and is removed", () => {
  const dir = aFolder();
  writePayload(dir, [file("a", "1")], now);
  mkdirSync(join(dir, "..never_swapped"));
  symlinkSync("..never_swapped", join(dir, "..data_tmp"));
  assert.equal(writePayload(dir, [file("a", "2")], now), true);
  assert.equal(readFileSync(join(dir, "a"), "utf8"), "2");
  assert.deepEqual(readdirSync(dir).sort(), ["..data", readlinkSync(join(dir, "..data")), "a"].sort());
});

test("names that a killed kubelet did not come to are made up for, though the content is there", () => {
  const dir = aFolder();
  writePayload(dir, [file("a", "1"), file("b", "2")], now);
  rmSync(join(dir, "b"));
  symlinkSync("..data/gone", join(dir, "gone"));
  mkdirSync(join(dir, "..before"));
  assert.equal(writePayload(dir, [file("a", "1"), file("b", "2")], now), false);
  assert.equal(readFileSync(join(dir, "b"), "utf8"), "2");
  assert.deepEqual(readdirSync(dir).sort(), ["..data", readlinkSync(join(dir, "..data")), "a", "b"].sort());
});
