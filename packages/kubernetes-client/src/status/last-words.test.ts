import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { lastWords } from "./last-words.ts";

const line = (level: string, msg: string, error?: string) => JSON.stringify({ level, ts: "now", msg, error });
const INFO = line("info", "ready to serve client requests");

describe("the last words of a program", () => {
  test("are those of its fatal line, as etcd writes it on a full disk", () => {
    const cut = '81Z","caller":"membership/cluster.go:622","msg":"set initial cluster version"}';
    const full = "write /var/etcd/data/member/snap/db: no space left on device";
    const log = [cut, INFO, line("error", "commit failed"), line("fatal", "failed to commit tx", full)].join("\n");
    assert.equal(lastWords(log), `failed to commit tx: ${full}`);
  });

  test("are the panic, before the stack that Go prints after it", () => {
    const stack = ["goroutine 1 [running]:", "main.main()", "\t/go/main.go:5"];
    assert.equal(lastWords([INFO, "panic: freepages: failed", ...stack].join("\n")), "panic: freepages: failed");
  });

  test("are its newest error where nothing is fatal", () => {
    const log = [line("error", "first"), line("error", "data dir is damaged"), INFO].join("\n");
    assert.equal(lastWords(log), "data dir is damaged");
  });

  test("are all of a text that is no such log, and nothing of a log that tells of no trouble", () => {
    assert.equal(lastWords("the data is gone\nreally"), "the data is gone\nreally");
    assert.equal(lastWords(`{"level":"in\n${INFO}`), undefined);
    assert.equal(lastWords(undefined), undefined);
  });
});
