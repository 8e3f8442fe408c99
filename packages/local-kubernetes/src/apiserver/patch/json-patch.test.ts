import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { ApiError } from "../api-error.ts";
import { jsonPatch } from "./json-patch.ts";

type Json = Record<string, unknown>;

// Parsed, for a literal would set the prototype.
const odd = (text: string) => JSON.parse(text) as Json;

describe("a JSON patch", () => {
  const cases: readonly [string, Json, Json[], unknown][] = [
    ["no operation", { a: 1 }, [], { a: 1 }],
    ["add a key", { a: 1 }, [{ op: "add", path: "/b", value: 2 }], { a: 1, b: 2 }],
    ["add a key that is there", { a: 1 }, [{ op: "add", path: "/a", value: [2] }], { a: [2] }],
    ["add null", { a: 1 }, [{ op: "add", path: "/b", value: null }], { a: 1, b: null }],
    ["add to the empty key", { a: 1 }, [{ op: "add", path: "/", value: 2 }], { a: 1, "": 2 }],
    ["add deep down", { a: [{ b: {} }] }, [{ op: "add", path: "/a/0/b/c", value: 1 }], { a: [{ b: { c: 1 } }] }],
    ["add into a list", { a: [1, 2] }, [{ op: "add", path: "/a/1", value: 9 }], { a: [1, 9, 2] }],
    ["add behind the last of a list", { a: [1] }, [{ op: "add", path: "/a/1", value: 9 }], { a: [1, 9] }],
    ["add at the end of a list", { a: [1] }, [{ op: "add", path: "/a/-", value: [2] }], { a: [1, [2]] }],
    ["add a whole document", { a: 1 }, [{ op: "add", path: "", value: { b: 2 } }], { b: 2 }],
    ["remove a key", { a: 1, b: null }, [{ op: "remove", path: "/b" }], { a: 1 }],
    ["remove from a list", { a: [1, 2, 3] }, [{ op: "remove", path: "/a/1" }], { a: [1, 3] }],
    ["replace a key", { a: { b: 1 } }, [{ op: "replace", path: "/a/b", value: {} }], { a: { b: {} } }],
    ["replace a key that is not there", { a: {} }, [{ op: "replace", path: "/a/b", value: 1 }], { a: { b: 1 } }],
    ["replace in a list", { a: [1, 2] }, [{ op: "replace", path: "/a/0", value: 9 }], { a: [9, 2] }],
    ["replace everything", { a: 1 }, [{ op: "replace", path: "", value: 7 }], 7],
    ["move a key", { a: { b: 1 }, c: {} }, [{ op: "move", from: "/a/b", path: "/c/d" }], { a: {}, c: { d: 1 } }],
    ["move within a list", { a: [1, 2, 3] }, [{ op: "move", from: "/a/0", path: "/a/2" }], { a: [2, 3, 1] }],
    ["move to itself", { a: 1 }, [{ op: "move", from: "/a", path: "/a" }], { a: 1 }],
    ["move beside a namesake", { a: 1 }, [{ op: "move", from: "/a", path: "/ab" }], { ab: 1 }],
    ["copy a key", { a: { b: [1] } }, [{ op: "copy", from: "/a/b", path: "/c" }], { a: { b: [1] }, c: [1] }],
    [
      "a copy is another value",
      { a: [1] },
      [
        { op: "copy", from: "/a", path: "/b" },
        { op: "add", path: "/b/-", value: 2 },
      ],
      { a: [1], b: [1, 2] },
    ],
    [
      "test in any order of keys",
      { a: { b: 1, c: 2 } },
      [{ op: "test", path: "/a", value: { c: 2, b: 1 } }],
      undefined,
    ],
    ["test null", { a: null }, [{ op: "test", path: "/a", value: null }], undefined],
    ["test the whole document", { a: 1 }, [{ op: "test", path: "", value: { a: 1 } }], undefined],
    ["escapes", { "a/b": 1, "c~1": 2 }, [{ op: "remove", path: "/a~1b" }], { "c~1": 2 }],
    ["escapes of escapes", { "c~1": 2 }, [{ op: "replace", path: "/c~01", value: 3 }], { "c~1": 3 }],
    ["a key that looks like a place", { a: { "0": 1 } }, [{ op: "remove", path: "/a/0" }], { a: {} }],
    ["what has no meaning here is ignored", { a: 1 }, [{ op: "remove", path: "/a", value: 5, from: 7 }], {}],
    ["keys of JavaScript", { a: 1 }, [{ op: "add", path: "/__proto__", value: 1 }], odd('{"a":1,"__proto__":1}')],
    [
      "through keys of JavaScript",
      odd('{"__proto__":{"a":1}}'),
      [{ op: "remove", path: "/__proto__/a" }],
      odd('{"__proto__":{}}'),
    ],
  ];
  test.each(cases)("%s", (_, before, operations, after) => {
    const copy = structuredClone(before);
    const patched = jsonPatch(before, operations);
    assert.equal(JSON.stringify(patched), JSON.stringify(after ?? copy));
    assert.deepEqual(before, copy, "the target has changed");
  });

  const document = { a: { b: 1 }, list: [1, 2], text: "x", nothing: null };
  test.each<Json>([
    { op: "add", path: "/none/b", value: 1 },
    { op: "add", path: "/text/b", value: 1 },
    { op: "add", path: "/nothing/b", value: 1 },
    { op: "add", path: "/list/3", value: 1 },
    { op: "add", path: "/list/-1", value: 1 },
    { op: "add", path: "/list/01", value: 1 },
    { op: "add", path: "/list/b", value: 1 },
    { op: "add", path: "/list/", value: 1 },
    { op: "add", path: "/list/-/a", value: 1 },
    { op: "add", path: "/b" },
    { op: "add", path: "b", value: 1 },
    { op: "add", path: "/~2", value: 1 },
    { op: "add", path: "/~", value: 1 },
    { op: "add", value: 1 },
    { op: "remove", path: "/none" },
    { op: "remove", path: "/constructor" },
    { op: "remove", path: "/list/2" },
    { op: "remove", path: "/list/-" },
    { op: "replace", path: "/none/b", value: 1 },
    { op: "replace", path: "/list/2", value: 1 },
    { op: "replace", path: "/list/-", value: 1 },
    { op: "replace", path: "/a/b" },
    { op: "move", from: "/none", path: "/b" },
    { op: "move", from: "/a", path: "/a/c" },
    { op: "move", path: "/b" },
    { op: "copy", from: "/list/2", path: "/b" },
    { op: "copy", from: 1, path: "/b" },
    { op: "test", path: "/a/b", value: 2 },
    { op: "test", path: "/a/b", value: "1" },
    { op: "test", path: "/none", value: null },
    { op: "test", path: "/list", value: [2, 1] },
    { op: "test", path: "/a" },
    { op: "merge", path: "/a", value: 1 },
    { path: "/a", value: 1 },
  ])("%j is refused, and so is all that came with it", (operation) => {
    const copy = structuredClone(document);
    const isRefusal = (error: unknown) => error instanceof ApiError && error.code === 422;
    assert.throws(() => jsonPatch(document, [{ op: "add", path: "/new", value: 1 }, operation]), isRefusal);
    assert.deepEqual(document, copy);
  });

  test.each([[{}], [null], ["x"], [[1]], [[null]], [[[]]]])("%j is none", (body) => {
    const isUnreadable = (error: unknown) => error instanceof ApiError && error.code === 400;
    assert.throws(() => jsonPatch({}, body), isUnreadable);
  });
});
