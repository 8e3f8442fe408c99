import assert from "node:assert/strict";
import { test } from "vitest";
import { duplicateFields } from "./duplicate-fields.ts";

test.each([
  ['{"a":1,"b":2}', []],
  ['{"a":1,"a":2}', ["a"]],
  ['{"spec":{"size":1,"size":2}}', ["spec.size"]],
  ['{"list":[{"a":1},{"a":1,"a":2}]}', ["list[1].a"]],
  ['{"list":[[1,{"a":1,"a":1}]]}', ["list[0][1].a"]],
  ['{"a":{"b":1},"c":{"b":1}}', []],
  ['{"a":"a","b":"a"}', []],
  ['{"a":"{\\"a\\":1,\\"a\\":2}"}', []],
  ['{"a":"\\\\","b\\"c":1,"b\\"c":2}', ['b"c']],
  ['{"\\u0061":1,"a":2}', ["a"]],
  ["", []],
])("%s", (text, fields) => {
  assert.deepEqual(duplicateFields(text), fields);
});
