import assert from "node:assert/strict";
import { test } from "vitest";
import { Inheritance } from "./inheritance.ts";
import { Ledger } from "./ledger.ts";

function ledgerOf(...writes: readonly (readonly [key: string, clusterId: string])[]): Ledger {
  const ledger = new Ledger();
  for (const [at, [key, clusterId]] of writes.entries()) ledger.add({ key, clusterId, revision: at + 2, atMs: at });
  return ledger;
}

const keysOf = (writes: readonly { readonly key: string }[]) => writes.map(({ key }) => key);

test("a cluster owes all that it has acknowledged", () => {
  const inheritance = new Inheritance(ledgerOf(["1", "a"], ["2", "a"]), "a");
  assert.deepEqual([...inheritance.owed], ["1", "2"]);
  assert.deepEqual(keysOf(inheritance.lostFrom(new Set(["1"]))), ["2"]);
  assert.deepEqual(inheritance.resurrectedIn(new Set(["1", "2"])), []);
});

test("a restored cluster owes what was restored and its own, and must not have what was rolled back", () => {
  const inheritance = new Inheritance(ledgerOf(["1", "a"], ["2", "a"], ["3", "b"]), "a");
  inheritance.passTo("b", new Set(["1"]));
  assert.deepEqual([...inheritance.owed], ["1", "3"]);
  assert.deepEqual(keysOf(inheritance.lostFrom(new Set())), ["1", "3"]);
  assert.deepEqual(keysOf(inheritance.resurrectedIn(new Set(["1", "2", "3"]))), ["2"]);
});
