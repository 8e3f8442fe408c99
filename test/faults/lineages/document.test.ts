import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "vitest";
import { ACCIDENT_IDS } from "./accident.ts";
import { ACCIDENT_WORDS } from "./accident-words.ts";
import { whatCanHappen } from "./document.ts";
import { OUTCOMES } from "./outcome.ts";
import { talesOf } from "./plans.ts";
import { TABLE } from "./table.ts";

test("the document about two accidents says what the plans check", async () => {
  const document = await readFile(new URL("../../../docs/operations/what-can-happen.md", import.meta.url), "utf8");
  assert.ok(document.endsWith(`-->\n\n${whatCanHappen()}`), "run `make generate`");
});

test("each pair of accidents is a cell of the table, and each cell a plan", () => {
  const pairs = ACCIDENT_IDS.flatMap((first) => ACCIDENT_IDS.map((second) => `${first}/${second}`));
  assert.equal(pairs.length, 81);
  assert.deepEqual(
    TABLE.map(({ first, second }) => `${first}/${second}`),
    pairs,
  );
  const plans = new Set(talesOf(1).map(({ name }) => name));
  assert.deepEqual(
    pairs.filter((pair) => !plans.has(pair)),
    [],
  );
});

test("a row of the document has a letter for each accident, in the order of its columns", () => {
  const lines = whatCanHappen().split("\n");
  for (const first of ACCIDENT_IDS) {
    const line = lines.find(
      (each) => each.startsWith(`| **${ACCIDENT_WORDS[first].title}** | `) && /^.*( [A-Z] \|){9}$/.test(each),
    );
    assert.ok(line, first);
    const letters = line
      .split(" | ")
      .slice(1)
      .map((each) => each.replace(" |", ""));
    const expected = TABLE.filter((cell) => cell.first === first).map(({ outcome }) => OUTCOMES[outcome].letter);
    assert.deepEqual(letters, expected);
  }
});
