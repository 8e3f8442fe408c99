import { describe, expect, test } from "vitest";
import type { DataDirectory } from "./data-directory.ts";
import { exitCodeOf, type Refusal, refusalOf } from "./refusal.ts";
import { type Expectation, verdict } from "./verdict.ts";

const empty: DataDirectory = { kind: "empty" };
const own: DataDirectory = { kind: "member", memberId: 0xa1n, clusterId: 0xc1n };
const noLog: DataDirectory = { kind: "log-gone", file: "member/snap/db" };
const torn: DataDirectory = { kind: "log-unreadable", why: "torn" };

const seed = expecting({ start: "seed" });
const seedOnceRun = expecting({ start: "seed", clusterId: 0xc1n });
const joining = expecting({ start: "joining", clusterId: 0xc1n });
const joined = expecting({ start: "joining", clusterId: 0xc1n, memberId: 0xa1n });
const returning = expecting({ start: "returning", clusterId: 0xc1n, memberId: 0xa1n });
const logReached = { term: 2, index: 10, revision: 8, at: "2030-01-01T00:00:00Z" };
const remembered = { ...returning, logReached };

const restored = expecting({ start: "restored" });
const restoredAndJoined = expecting({ start: "restored", clusterId: 0xc1n, memberId: 0xa1n });

describe("etcd may start", () => {
  test.each<[string, DataDirectory, Expectation]>([
    ["a seed on an empty directory", empty, seed],
    ["a joining member on an empty directory", empty, joining],
    ["a seed again on what it wrote, before anybody took note of it", own, { ...seed, isOwnData: true }],
    ["a joining member again on what it wrote", own, { ...joining, isOwnData: true }],
    ["a new member again, whose first start did not get as far as a log", noLog, { ...joining, isOwnData: true }],
    ["a member that has joined, on its own data", own, joined],
    ["a returning member on its own data", own, returning],
    ["a returning member on a log that has what it had", { ...own, end: { term: 2, index: 10 } }, remembered],
    [
      "a returning member on any log of its own, when its last position is unknown",
      { ...own, end: { term: 1, index: 1 } },
      returning,
    ],
    ["a restored member on the restored snapshot, whichever member that is", own, restored],
    ["a restored member again, on its own data", own, restoredAndJoined],
  ])("%s", (_, found, expected) => {
    expect(verdict(found, expected).kind).toBe("allowed");
  });
});

describe("etcd may not start", () => {
  test.each<[string, DataDirectory, Expectation, Refusal]>([
    ["a returning member on nothing", empty, returning, "data-gone"],
    ["a member that has joined, on nothing", empty, joined, "data-gone"],
    ["a seed whose cluster is known, on nothing", empty, seedOnceRun, "data-gone"],
    ["on data of another cluster", { ...own, clusterId: 0xc2n }, returning, "other-cluster"],
    ["a joining member on data of another cluster", { ...own, clusterId: 0xc2n }, joining, "other-cluster"],
    ["on data of another member", { ...own, memberId: 0xa2n }, returning, "other-member"],
    ["a seed on data that it did not write", own, seed, "not-empty"],
    ["a joining member on data that it did not write", own, joining, "not-empty"],
    ["a returning member without its log", noLog, returning, "log-gone"],
    ["a new member on foreign snapshots", noLog, joining, "log-gone"],
    ["on a log that cannot be read, be it its own", torn, { ...seed, isOwnData: true }, "log-unreadable"],
    ["a restored member on nothing", empty, restored, "data-gone"],
    ["a restored member on what is no whole directory", noLog, { ...restored, isOwnData: true }, "log-gone"],
    ["a restored member on a log that cannot be read", torn, restored, "log-unreadable"],
    ["a restored member that has joined, on nothing", empty, restoredAndJoined, "data-gone"],
    ["a restored member on another's", { ...own, memberId: 0xa2n }, restoredAndJoined, "other-member"],
    ["a restored member on that of another cluster", { ...own, clusterId: 0xc2n }, restoredAndJoined, "other-cluster"],
    [
      "a returning member on an older copy of its log",
      { ...own, end: { term: 2, index: 9 } },
      remembered,
      "log-behind",
    ],
    [
      "a member in its own pod, on an older copy",
      { ...own, end: { term: 1, index: 99 } },
      { ...joined, logReached },
      "log-behind",
    ],
    ["when the returning member is unknown", own, expecting({ start: "returning", clusterId: 0xc1n }), "unidentified"],
    ["when its cluster is unknown", own, expecting({ start: "returning", memberId: 0xa1n }), "unidentified"],
  ])("%s", (_, found, expected, refusal) => {
    expect(verdict(found, expected)).toMatchObject({ kind: "refused", refusal });
  });

  test("and the message names both sides", () => {
    const messageOn = (found: DataDirectory) => verdict(found, returning).message;
    expect(messageOn(empty)).toBe("empty directory, but this member a1 has joined before");
    expect(messageOn({ ...own, memberId: 0xa2n })).toBe("directory of member a2, expected a1");
    expect(messageOn({ ...own, clusterId: 0xc2n })).toBe("directory of cluster c2, expected c1");
    expect(verdict({ ...own, end: { term: 1, index: 7 } }, remembered).message).toBe(
      "the log ends with entry 7 of term 1, but had entry 10 of term 2 at 2030-01-01T00:00:00Z: this is an older copy, or it was truncated",
    );
  });
});

describe("the operator knows a refusal by the end of its guard", () => {
  const REFUSALS = [
    "data-gone",
    "other-member",
    "other-cluster",
    "log-gone",
    "log-unreadable",
    "not-empty",
    "unidentified",
    "log-behind",
  ] as const;

  test("by its exit code, each of which is its own", () => {
    expect(REFUSALS.map((refusal) => refusalOf({ exitCode: exitCodeOf(refusal) }))).toEqual(REFUSALS);
  });

  test("and no code with which Node, a shell or a runtime ends a program is one", () => {
    const codes = REFUSALS.map(exitCodeOf);
    expect(codes.filter((code) => code < 40 || code > 120)).toEqual([]);
    for (const exitCode of [0, 1, 2, 7, 9, 10, 12, 13, 14, 125, 126, 127, 137, 139, 143, 255]) {
      expect(refusalOf({ exitCode, message: "Error: Cannot find module" }), `${exitCode}`).toBeUndefined();
    }
  });

  test("a guard of an earlier release counts by the codes that Node does not use, and otherwise by what it said", () => {
    const said = { message: "(node:1) Warning: x\nguard: refused /var/etcd/data: empty directory" };
    expect([11, 15, 16, 17].map((exitCode) => refusalOf({ exitCode }))).toEqual(
      REFUSALS.filter((_, at) => [1, 5, 6, 7].includes(at)),
    );
    expect([10, 12, 13, 14].map((exitCode) => refusalOf({ exitCode }))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect([10, 12, 13, 14].map((exitCode) => refusalOf({ exitCode, ...said }))).toEqual(
      REFUSALS.filter((_, at) => [0, 2, 3, 4].includes(at)),
    );
  });
});

function expecting(known: Pick<Expectation, "start"> & Partial<Expectation>): Expectation {
  return { memberId: undefined, clusterId: undefined, isOwnData: false, ...known };
}
