import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { filledUp, prunedFields, withUnknownFields } from "./status-fields.ts";

describe("what was not stored of a status", () => {
  test("is named by its path, the outermost field that is missing", () => {
    const sent = {
      a: 1,
      restore: { state: "Done", keep: { below: 2 } },
      list: [{ x: 1, y: 2 }, { x: 3 }],
      none: undefined,
      empty: null,
    };
    assert.deepEqual(prunedFields(sent, sent), []);
    assert.deepEqual(prunedFields(sent, { a: 1, restore: { state: "Done" }, list: [{ x: 1 }] }), [
      "status.restore.keep",
      "status.list[0].y",
      "status.list[1]",
    ]);
    assert.deepEqual(prunedFields(sent, undefined), ["status.a", "status.restore", "status.list"]);
  });

  test("is no more than that: what the API server adds or formats differently does not count", () => {
    assert.deepEqual(prunedFields({ a: "1Gi" }, { a: "1024Mi", b: 1 }), []);
  });
});

describe("a status that is filled up", () => {
  test("gets what it lacks of the same entries, and keeps what it has", () => {
    const status = { a: 1, restore: { uid: "r", state: "Done" }, members: [{ name: "b" }] };
    const from = {
      a: 2,
      c: 3,
      restore: { uid: "r", kept: 1 },
      members: [
        { name: "a", x: 1 },
        { name: "b", x: 2 },
      ],
    };
    assert.deepEqual(filledUp(status, from), {
      a: 1,
      c: 3,
      restore: { uid: "r", state: "Done", kept: 1 },
      members: [{ name: "b", x: 2 }],
    });
  });

  test("gets nothing of another restore", () => {
    assert.deepEqual(filledUp({ restore: { uid: "new" } }, { restore: { uid: "old", kept: 1 } }), {
      restore: { uid: "new" },
    });
  });
});

test("of what is stored only what no schema knows is kept: what is known was taken away on purpose", () => {
  const stored = { future: 1, reason: "old", restore: { uid: "r", reason: "old", future: 2 }, gone: { future: 3 } };
  const known = { reason: "old", restore: { uid: "r", reason: "old" }, gone: {} };
  const next = { restore: { uid: "r" } };
  assert.deepEqual(withUnknownFields(next, stored, known), { future: 1, restore: { uid: "r", future: 2 } });
});
