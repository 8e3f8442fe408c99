import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { proseOfTypeScript } from "./prose.ts";

const proseOf = (source: string) => proseOfTypeScript(source).map(({ line, text }) => [line, text.trim()]);

describe("the prose of a source", () => {
  test("is its comments and strings, with their lines", () => {
    const source = 'const a = "one";\n/** two */\n// three\n// four\nconst b = 1; // five\n';
    assert.deepEqual(proseOf(source), [
      [1, '"one"'],
      [2, "/** two */"],
      [3, "// three\n// four"],
      [5, "// five"],
    ]);
  });

  test("is not the name of an imported file", () => {
    assert.deepEqual(
      proseOf('import { a } from "./one.ts";\nimport "./two.ts";\nexport { b } from "./three.ts";\n'),
      [],
    );
  });

  test("is each part of a template, also of one inside another", () => {
    const source = ["const a = `one ${b(`two ${", "{ c: 1 }.c}`)} three`;"].join("");
    assert.deepEqual(
      proseOf(source).map(([, text]) => text),
      ["one", "two", "", "three"],
    );
  });

  test("is not a comment where it is a string or a regular expression", () => {
    assert.deepEqual(proseOf("const a = 'it is // a \\' string'; const b = /[/]\"/.test(c) / 2 / d;"), [
      [1, "'it is // a \\' string'"],
    ]);
  });
});
