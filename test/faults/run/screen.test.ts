import assert from "node:assert/strict";
import { test } from "vitest";
import { type Progress, Screen } from "./screen.ts";

test("without a terminal there is a line for every five percent, and none in between", () => {
  const { screen, written } = aScreen({});
  for (const share of [0, 0.049, 0.05, 0.06, 0.0999, 0.3, 1]) screen.progress(at(share));
  assert.deepEqual(
    written().map((line) => line.slice(0, 5)),
    ["  5 %", " 30 %", "100 %"],
  );
  assert.equal(written()[0], "  5 % 5 of 100 plans, 1 failures, 1 min 5 s, writes\n");
});

test("on a terminal one line is rewritten, which never breaks", () => {
  const { screen, written } = aScreen({ isTTY: true, columns: 60 });
  screen.progress(at(0.5));
  screen.progress(at(0.5));
  assert.deepEqual(written(), ["\r\u001b[2K[###############---------------]  50 % 50 of 100 plans, 1 f"]);
});

test("what is said stays above the bar, and the bar goes in the end", () => {
  const { screen, written } = aScreen({ isTTY: true, columns: 20 });
  screen.say("begins");
  screen.progress(at(0));
  screen.say("FAILED");
  screen.end();
  screen.say("the table");
  const bar = "[------------------";
  const clear = "\r\u001b[2K";
  assert.deepEqual(written(), ["begins\n", clear + bar, `${clear}FAILED\n${bar}`, clear, "the table\n"]);
});

function aScreen(terminal: { isTTY?: boolean; columns?: number }) {
  const lines: string[] = [];
  return { screen: new Screen({ ...terminal, write: (text) => lines.push(text) }), written: () => lines };
}

function at(share: number): Progress {
  return { share, done: Math.floor(share * 100), plans: 100, failures: 1, elapsedMs: 65_432, now: "writes" };
}
