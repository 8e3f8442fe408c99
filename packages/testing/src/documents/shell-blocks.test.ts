import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { shellBlocksIn } from "./shell-blocks.ts";

describe("the shell blocks of a document", () => {
  test("are its commands, in order, and those of no other language", () => {
    const document = "Do:\n\n```sh\na\nb\n```\n\n```yaml\nkind: Pod\n```\n\n```sh\nc\n```\n";
    assert.deepEqual(shellBlocksIn(document), ["a\nb\n", "c\n"]);
  });

  test("lose the indentation of the list that they belong to, and no more", () => {
    const document =
      "1. First:\n\n   ```sh\n   for x in 1; do\n     echo $x\n   done\n   ```\n\n   ```sh\n   a\n\n   b\n   ```\n";
    assert.deepEqual(shellBlocksIn(document), ["for x in 1; do\n  echo $x\ndone\n", "a\n\nb\n"]);
  });

  test("end at the fence of their own indentation", () => {
    assert.deepEqual(shellBlocksIn("```sh\ncat <<X\n  ```\nX\n```\n"), ["cat <<X\n  ```\nX\n"]);
  });
});
