import assert from "node:assert/strict";
import { test } from "vitest";
import { randomOf } from "../../model/random.ts";
import { loadKinds } from "./load-kinds.ts";
import { expectedEvents, LoadObject, problemOf } from "./load-object.ts";
import { loadSelections } from "./load-watches.ts";
import { LoadWorld } from "./load-world.ts";

const kind = loadKinds[0];
if (!kind) throw new Error("there is no load");
const object = new LoadObject(kind, "here", "a");
object.writes.push(
  { app: "x", revision: 1 },
  { app: "y", revision: 2 },
  { app: "y", revision: 3 },
  { app: undefined, revision: undefined },
);

test("a watch has to tell of what it selects, and of when it ceases to be selected", () => {
  const typesOf = (selection: object) => expectedEvents({ kind, ...selection }, object).map(({ type }) => type);
  assert.deepEqual(typesOf({}), ["ADDED", "MODIFIED", "MODIFIED", "DELETED"]);
  assert.deepEqual(typesOf({ app: "x" }), ["ADDED", "DELETED"]);
  assert.deepEqual(typesOf({ app: "y", namespace: "here" }), ["ADDED", "MODIFIED", "DELETED"]);
  assert.deepEqual(typesOf({ namespace: "there" }), []);
  assert.deepEqual(typesOf({ name: "b" }), []);
});

test("lost, repeated and reordered events are found", () => {
  const expected = expectedEvents({ kind }, object);
  const [added, second, third, deleted] = [
    { type: "ADDED", revision: 1 },
    { type: "MODIFIED", revision: 2 },
    { type: "MODIFIED", revision: 3 },
    { type: "DELETED", revision: 4 },
  ] as const;
  assert.equal(problemOf(expected, [added, second, third, deleted]), undefined);
  assert.match(problemOf(expected, [added, third, deleted]) ?? "", /event 1 is MODIFIED at 3, not MODIFIED at 2/);
  assert.match(problemOf(expected, [added, second, third]) ?? "", /was lost: DELETED at its deletion/);
  assert.match(problemOf(expected, [added, second, second, third, deleted]) ?? "", /event 2 is MODIFIED at 2/);
  assert.match(problemOf(expected, [added, second, third, deleted, deleted]) ?? "", /1 events too many/);
  assert.match(problemOf(expected, [added, second, third, { ...deleted, revision: 2 }]) ?? "", /after one of 3/);
});

test("the world of the load settles, with all verbs and one write per object at a time", () => {
  const world = new LoadWorld(randomOf(1));
  const methods = new Set<string>();
  for (let write = 0; write < 20_000; write += 1) {
    const { object: written, method, app } = world.next();
    methods.add(method);
    written.writes.push({ app, revision: app === undefined ? undefined : write });
    written.isBusy = false;
  }
  assert.deepEqual([...methods].sort(), ["DELETE", "PATCH", "POST", "PUT"]);
  const wanted = loadKinds.reduce((sum, { population }) => sum + population, 0);
  const there = world.objects.filter(({ exists }) => exists).length;
  assert.ok(there > 0.7 * wanted && there < 1.3 * wanted, `${there} of ${wanted}`);
  assert.equal(loadSelections().length, 200);
});
