import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { shellBlocks } from "@etcd-operator/testing/documents/shell-blocks.ts";
import { describe, test } from "vitest";
import { terminalPicture } from "./terminal-picture.ts";
import { typedCommands } from "./typed-commands.ts";

describe("the picture of a terminal", () => {
  test("has a line of text for each line, those of a terminal that is 112 columns wide", () => {
    const picture = terminalPicture([{ command: "cat", output: `a <b> & c\n\n${"x".repeat(113)}\n` }]);
    const lines = [...picture.matchAll(/<text [^>]*class="(\w+)"[^>]*>(.*)<\/text>/g)].map(([, ...line]) => line);
    assert.deepEqual(lines, [
      ["command", '<tspan class="prompt">$</tspan> cat'],
      ["output", "a &lt;b&gt; &amp; c"],
      ["output", "x".repeat(112)],
      ["output", "x"],
    ]);
  });

  test("is the same for the same text, and as high as its lines", () => {
    const [one, two] = ["a", "a\nb"].map((output) => terminalPicture([{ command: "c", output }]));
    assert.equal(one, terminalPicture([{ command: "c", output: "a" }]));
    assert.notEqual(/height="\d+"/.exec(one ?? "")?.[0], /height="\d+"/.exec(two ?? "")?.[0]);
  });
});

test("a typed command has no comment, and a `#` within a word stays", () => {
  assert.deepEqual(typedCommands("a b   # c\n# d\n\ne f#g\n"), ["a b", "e f#g"]);
});

test("the recorded terminal of the README shows the commands of its quick start; else run scripts/record-terminal.ts", async () => {
  const [, commands = ""] = await shellBlocks("README.md", "Quick start");
  const shown = (picture: string) =>
    [...picture.matchAll(/class="command"[^>]*>(.*)<\/text>/g)].map(([, line]) => line);
  const expected = terminalPicture(typedCommands(commands).map((command) => ({ command, output: "" })));
  assert.deepEqual(shown(await readFile("docs/pictures/quick-start.svg", "utf8")), shown(expected));
});
