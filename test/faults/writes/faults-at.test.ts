import assert from "node:assert/strict";
import { test } from "vitest";
import { FAULTS } from "../transport/fault.ts";
import { faultsAt } from "./faults-at.ts";

const sent = ["POST pods", ...Array<string>(7).fill("PUT status"), "POST pods"];

test("everything goes wrong with the first of a kind", () => {
  for (const at of [0, 1]) assert.deepEqual(faultsAt(sent, at, 1), FAULTS);
});

test("later ones are refused in one way each, all ways in turn, and cut off in all", () => {
  const refused = [2, 3, 4, 5].map((at) => {
    const faults = faultsAt(sent, at, 1);
    assert.deepEqual(faults.slice(0, 4), ["crash-before", "crash-after", "lost-answer", "twice"]);
    return faults.slice(4);
  });
  assert.deepEqual(refused.flat().sort(), ["conflict", "error", "lost-request", "too-many"]);
  assert.notDeepEqual(faultsAt(sent, 2, 2), faultsAt(sent, 2, 1));
  assert.equal(faultsAt(sent, 8, 1).length, 5);
});
