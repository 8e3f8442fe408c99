import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "vitest";
import { terminationMessage } from "./container-launch.ts";
import { formatLogLine } from "./logs/log-line.ts";

describe("the last words of a container that wrote none", () => {
  let dir: string;
  let log: string;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "words-"));
    log = join(dir, "log");
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const container = { name: "etcd", terminationMessagePolicy: "FallbackToLogsOnError" };
  const printed = (...texts: readonly string[]) =>
    writeFileSync(log, texts.map((text) => formatLogLine({ time: "now", stream: "stderr", text })).join(""));

  test("are the end of its log, as it printed it", () => {
    printed("ready", '{"level":"fatal"}');
    assert.equal(terminationMessage(container, dir, 1, log), 'ready\n{"level":"fatal"}\n');
  });

  test("are 80 lines and 2,048 bytes at most", () => {
    printed(...Array.from({ length: 200 }, (_, at) => `${at}`));
    assert.equal(terminationMessage(container, dir, 1, log)?.split("\n")[0], "120");
    printed("x".repeat(5_000));
    assert.equal(terminationMessage(container, dir, 1, log)?.length, 2_048);
  });

  test("are none where it ended well, or was not asked for them", () => {
    printed("bye");
    assert.equal(terminationMessage(container, dir, 0, log), undefined);
    assert.equal(terminationMessage({ name: "etcd" }, dir, 1, log), undefined);
  });
});
