import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { onTestFinished, test } from "vitest";
import { ContainerLog, olderFile } from "./container-log.ts";
import { readLog } from "./read-log.ts";

const never = new AbortController().signal;

function aLog(): ContainerLog {
  const dir = mkdtempSync(join(tmpdir(), "log-"));
  const log = new ContainerLog(join(dir, "c", "0.log"));
  onTestFinished(() => {
    log.close();
    rmSync(dir, { recursive: true });
  });
  return log;
}

async function all(texts: AsyncIterable<string>): Promise<string> {
  let said = "";
  for await (const text of texts) said += text;
  return said;
}

test("what a process prints is kept line by line, the last one also without an end", async () => {
  const log = aLog();
  const from = Readable.from([Buffer.from("one\ntw"), Buffer.from("o\nthree")]);
  log.attach("stdout", from);
  await new Promise((resolve) => from.once("close", resolve));
  assert.equal(await all(readLog(log.file, {}, undefined, never)), "one\ntwo\nthree\n");
});

test("a follower gets the old lines, then the new ones, each once, until the container ends", async () => {
  const log = aLog();
  log.append("stdout", ["old"]);
  const lines = readLog(log.file, {}, log, never);
  const first = lines.next();
  log.append("stderr", ["new 1"]);
  assert.equal((await first).value, "old\n");
  log.append("stdout", ["new 2"]);
  log.close();
  assert.equal(await all(lines), "new 1\nnew 2\n");
});

test("a follower that goes away ends its log", async () => {
  const log = aLog();
  const abort = new AbortController();
  const lines = all(readLog(log.file, {}, log, abort.signal));
  abort.abort();
  assert.equal(await lines, "");
});

test("limitBytes cuts the answer short", async () => {
  const log = aLog();
  log.append("stdout", ["abcdef"]);
  assert.equal(await all(readLog(log.file, { limitBytes: 3 }, undefined, never)), "abc");
  assert.equal(await all(readLog(log.file, { limitBytes: 3 }, log, never)), "abc");
});

test("a log never holds more than two files, and reading goes over both", async () => {
  const log = aLog();
  const long = "x".repeat(1024 * 1024);
  for (let i = 0; i < 25; i += 1) log.append("stdout", [`${i} ${long}`]);
  assert.ok(existsSync(olderFile(log.file)));
  const said = await all(readLog(log.file, {}, undefined, never));
  assert.ok(said.length < 21 * 1024 * 1024 && said.includes("\n24 "));
});
