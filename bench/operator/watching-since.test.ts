import assert from "node:assert/strict";
import { test } from "vitest";
import { watchingSince } from "./watching-since.ts";

const line = (controller: string, msg: string, second: number) =>
  `{"level":"info","time":"2026-01-01T00:00:0${second}.250Z","controller":"${controller}","msg":"${msg}"}\n`;
const log = line("clusters", "leading", 1) + line("clusters", "watching", 2) + line("backups", "watching", 5);

test("the operator watches when the last of its controllers does", () => {
  const all = log + line("restores", "watching", 4);
  assert.equal(watchingSince(all), Date.parse("2026-01-01T00:00:05.250Z"));
});

test("it does not yet while one of them only leads, or its line is being written", () => {
  assert.equal(watchingSince(log), undefined);
  assert.equal(watchingSince(log + line("restores", "leading", 4)), undefined);
  assert.equal(watchingSince(`${log}{"level":"info","time":"2026`), undefined);
});
