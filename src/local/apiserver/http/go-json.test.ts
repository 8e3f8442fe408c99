import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { goJsonError, notAnObject, parseJson, summarized } from "./go-json.ts";

describe("what Go says about broken JSON", () => {
  test.each([
    ["{", "unexpected end of JSON input"],
    ["", "unexpected end of JSON input"],
    ["[{", "unexpected end of JSON input"],
    ["x", "invalid character 'x' looking for beginning of value"],
    ["not", "invalid character 'o' in literal null (expecting 'u')"],
    ["[}", "invalid character '}' looking for beginning of value"],
    ["{a", "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ["{} {}", "invalid character '{' after top-level value"],
    ["[1 2]", "invalid character '2' after array element"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ])("%j: %s", (text, message) => {
    assert.equal(goJsonError(text), message);
  });

  test("valid JSON has no error", () => {
    assert.equal(goJsonError(' {"a":[1,-2.5e3,"x\\n",true,null,{}]} '), undefined);
  });

  test("a text is read, or refused in the words of Go", () => {
    const refusal = (why: string) => new Error(`refused: ${why}`);
    assert.deepEqual(parseJson('{"a":[1]}', refusal), { a: [1] });
    assert.throws(() => parseJson("{", refusal), { message: "refused: unexpected end of JSON input" });
  });

  test("a body that is no object is told by its kind", () => {
    assert.match(notAnObject([]), /^json: cannot unmarshal array into Go value of type struct \{ APIVersion string/);
  });

  test("a body that does not begin like an object is shown as hexadecimal", () => {
    assert.equal(summarized(Buffer.from("{a")), "{a");
    assert.equal(summarized(Buffer.from("[]")), "5b5d");
    assert.equal(summarized(Buffer.alloc(0)), "<empty>");
  });
});
