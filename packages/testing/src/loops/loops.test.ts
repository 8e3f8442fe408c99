import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { GONE, loopsIn, type SeenWrite } from "./loops.ts";

const SECOND = 1_000;

describe("a loop is", () => {
  test("a patch once a second that changes nothing", () => {
    const found = loopsIn(times(10, (at) => patch("services", "a-client", "same", at * SECOND)));
    assert.deepEqual(found, ["a loop: PATCH services a-client, 9 times within 10 s without progress"]);
  });

  test("two states by turns", () => {
    const found = loopsIn(times(12, (at) => patch("pods", "a-1", at % 2 === 0 ? "one" : "other", at * 500)));
    assert.deepEqual(found, ["a loop: PATCH pods a-1, 10 times within 10 s without progress"]);
  });

  test("a write that is refused again and again", () => {
    const found = loopsIn(times(6, (at) => patch("etcdclusters/status", "a", undefined, at * SECOND)));
    assert.deepEqual(found, ["a loop: PATCH etcdclusters/status a, 6 times within 10 s without progress"]);
  });

  test("the deletion of what is being deleted already", () => {
    const found = loopsIn(times(7, (at) => ({ ...aWrite, verb: "DELETE", stored: "going", atMs: at * SECOND })));
    assert.deepEqual(found, ["a loop: DELETE pods a-1, 6 times within 10 s without progress"]);
  });

  test("creation and deletion under ever new names for the same owner", () => {
    const found = loopsIn(times(7, (at) => madeForNothing(`a-${at}`, at * SECOND)).flat());
    assert.deepEqual(found, ["a loop: POST and DELETE pods of EtcdCluster a, 7 times within 10 s without progress"]);
  });

  test("creation and deletion under one name", () => {
    const found = loopsIn(times(7, (at) => madeForNothing("a-1", at * SECOND)).flat());
    assert.ok(found.includes("a loop: POST pods a-1, 6 times within 10 s without progress"), found.join("\n"));
    assert.ok(found.includes("a loop: DELETE pods a-1, 6 times within 10 s without progress"), found.join("\n"));
  });

  test("a pause that grows no further", () => {
    const atMs = [0, 250, 750, ...times(10, (at) => 1_750 + at * SECOND)];
    assert.equal(loopsIn(atMs.map((ms) => patch("pods", "a-1", undefined, ms))).length, 1);
  });

  test("seven pods a second under ever new names", () => {
    assert.equal(
      loopsIn(
        times(70, (at) => madeForNothing(`a-${at}`, at * 140))
          .flat()
          .sort(byTime),
      ).length,
      1,
    );
  });

  test("found beside writes of other kinds, and after a long quiet time", () => {
    const quiet = patch("pods", "b-1", "same", 0);
    const loop = times(10, (at) => patch("pods", "a-1", "same", 3_600_000 + at * SECOND));
    const beside = times(10, (at) => patch("pods/status", "a-1", `fact ${at}`, 3_600_000 + at * SECOND));
    assert.equal(loopsIn([quiet, ...[...loop, ...beside].sort(byTime)]).length, 1);
  });
});

describe("no loop is", () => {
  test("a status that reports new facts", () => {
    assert.deepEqual(loopsIn(times(100, (at) => patch("etcdclusters/status", "a", `fact ${at}`, at * 100))), []);
  });

  test("a write that is undone and repeated ever more rarely", () => {
    const atMs = [0, 1, 3, 7, 15, 31].map((seconds) => seconds * SECOND);
    const repeated = atMs.map((ms) => patch("services", "a", "same", ms));
    assert.deepEqual(loopsIn(repeated), []);
  });

  test.each([1, 0.5, 0.75])("a refusal after which each pause is twice as long, times %d", (shortened) => {
    // The sum of pauses that double is as long as the last of them.
    const atMs = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000].map((ms, at) => (at % 2 === 0 ? ms : ms * shortened));
    assert.deepEqual(loopsIn(atMs.map((ms) => patch("etcdclusters/status", "a", undefined, ms))), []);
  });

  test("a cluster whose three first members are started over, after a longer time each time", () => {
    const rounds = [0, 2, 6].flatMap((seconds) =>
      times(3, (at) => madeForNothing(`a-${seconds}-${at}`, seconds * SECOND + at)).flat(),
    );
    assert.deepEqual(loopsIn(rounds.sort(byTime)), []);
  });

  test("a Lease that is tried every second while it is refused", () => {
    assert.deepEqual(loopsIn(times(15, (at) => patch("leases", "clusters", undefined, at * SECOND))), []);
  });

  test("the same write every two seconds", () => {
    assert.deepEqual(loopsIn(times(60, (at) => patch("pods", "a-1", "same", at * 2 * SECOND))), []);
  });

  test("the creation of nine members at once, and their replacement", () => {
    const creations = (from: number) => times(9, (at) => create(`a-${from + at}`, from * SECOND));
    const deletions = times(9, (at) => ({ ...aWrite, verb: "DELETE", name: `a-${at}`, atMs: 20 * SECOND }));
    assert.deepEqual(loopsIn([...creations(0), ...creations(20), ...deletions]), []);
  });

  test("a disruption budget that follows the members, which are replaced one after another", () => {
    const budget = (stored: string | undefined, atMs: number): SeenWrite => ({
      ...patch("poddisruptionbudgets", "a", stored, atMs),
      owner: "EtcdCluster a",
    });
    const replaced = (at: number): SeenWrite[] => [
      { ...aWrite, verb: "POST", name: `a-${at}`, stored: `a-${at}`, owner: "EtcdCluster a", atMs: at * 4_000 },
      budget("four", at * 4_000 + 1),
      budget(undefined, at * 4_000 + 2),
      budget("three", at * 4_000 + 3),
    ];
    assert.deepEqual(loopsIn(times(6, replaced).flat()), []);
    const withoutPods = times(6, replaced).flatMap(([, ...writes]) => writes);
    assert.deepEqual(loopsIn(withoutPods).length, 1);
  });

  test("what six owners each have made and deleted once", () => {
    const each = times(6, (at) => {
      const [made, deleted] = madeForNothing(`worker-${at}`, at * 100);
      return [{ ...made, owner: `EtcdBackup ${at}` }, deleted];
    });
    assert.deepEqual(loopsIn(each.flat()), []);
  });
});

const aWrite: SeenWrite = { atMs: 0, verb: "PATCH", resource: "pods", name: "a-1", stored: "something" };

function patch(resource: string, name: string, stored: string | undefined, atMs: number): SeenWrite {
  return { ...aWrite, resource, name, stored, atMs };
}

function create(name: string, atMs: number): SeenWrite {
  return { ...aWrite, verb: "POST", name, stored: name, owner: "EtcdCluster a", atMs };
}

function madeForNothing(name: string, atMs: number): readonly [SeenWrite, SeenWrite] {
  return [create(name, atMs), { ...aWrite, verb: "DELETE", name, stored: GONE, atMs: atMs + 300 }];
}

function times<Thing>(count: number, make: (at: number) => Thing): Thing[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

function byTime(one: SeenWrite, other: SeenWrite): number {
  return one.atMs - other.atMs;
}
