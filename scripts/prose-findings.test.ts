import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "vitest";
import { proseFindings, wordsOf } from "./prose-findings.ts";

const words = wordsOf("| Not | But |\n|---|---|\n| `no one`, `afresh` | no member |\n| `is gone` | is deleted |\n");
const findingsIn = (path: string, source: string) => proseFindings(path, source, words);

test("the documented table has words, each with a better one", () => {
  const documented = wordsOf(readFileSync("docs/development/plain-words.md", "utf8"));
  assert.ok(documented.length > 10 && documented.every(({ word, better }) => word && better));
});

describe("a word of the table is found", () => {
  test.each([
    ["in a string", "a.ts", 'throw new Error("No one answers");', "a.ts:1: 'no one': write no member"],
    ["in a comment", "a.ts", "a();\n/** Starts afresh. */\n", "a.ts:2: 'afresh': write no member"],
    ["over a line break of a comment", "a.ts", "// the pod is\n// gone\n", "a.ts:1: 'is gone': write is deleted"],
    ["in a document", "a.md", "# A\n\nThe pod is gone.\n", "a.md:3: 'is gone': write is deleted"],
    ["in YAML", "a.yaml", "# no one\na: 1\n", "a.yaml:1: 'no one': write no member"],
  ])("%s", (_, path, source, finding) => {
    assert.deepEqual(findingsIn(path, source), [finding]);
  });

  test("but not as a part of another, in a name, or in backticks", () => {
    assert.deepEqual(findingsIn("a.ts", 'const afresh = 1; // `afresh`, "no-one" and afreshment\n'), []);
  });
});

describe("an exception", () => {
  test("counts on its line and on the next one", () => {
    assert.deepEqual(findingsIn("a.ts", 'a("afresh"); // plain-words: a name\n'), []);
    assert.deepEqual(findingsIn("a.md", "<!-- plain-words: a quotation -->\nafresh\n"), []);
    assert.equal(findingsIn("a.ts", '// plain-words: a name\n\na("afresh");\n').length, 1);
  });

  test("needs a reason", () => {
    assert.deepEqual(findingsIn("a.ts", "a(); // plain-words:\n"), [
      "a.ts:1: an exception without a reason: write why it is right",
    ]);
    assert.equal(findingsIn("a.md", "<!-- plain-words: -->\nafresh\n").length, 2);
  });
});

describe("the length of lines", () => {
  test("is limited in comments, and not in strings", () => {
    assert.deepEqual(findingsIn("a.ts", `  // ${"a".repeat(116)}\n`), ["a.ts:1: 121 columns: write at most 120"]);
    assert.deepEqual(findingsIn("a.ts", `  // ${"a".repeat(115)}\n  "${"a".repeat(150)}";\n`), []);
  });

  test("is limited in documents, but for tables, code and addresses", () => {
    const long = "a".repeat(141);
    assert.deepEqual(findingsIn("a.md", `a\n${long}\n`), ["a.md:2: 141 columns: write at most 140"]);
    assert.deepEqual(findingsIn("a.md", `| ${long} |\n[a](${long})\n\`\`\`sh\n${long}\n\`\`\`\n`), []);
  });
});
