import { describe, expect, test } from "vitest";
import { parseVersion } from "./version.ts";
import { factsOf, flagsToSwitchOn, type VersionFacts } from "./version-facts.ts";

describe("factsOf", () => {
  test.each<[keyof VersionFacts, string, string]>([
    ["hasLearners", "3.3.27", "3.4.0"],
    ["hasLinearizableMemberList", "3.4.37", "3.5.0"],
    ["canMoveLeader", "3.2.32", "3.3.0"],
    ["hasLivezReadyz", "3.4.28", "3.4.29"],
    ["hasLivezReadyz", "3.5.10", "3.5.11"],
    ["learnerIsUnready", "3.5.18", "3.5.19"],
    ["learnerIsUnready", "3.4.37", "3.6.0"],
    ["hasListenMetricsUrls", "3.2.32", "3.3.0"],
    ["learnerGivesSnapshot", "3.4.37", "3.5.0"],
    ["hasMaxLearnersFlag", "3.5.35", "3.6.0"],
    ["canBumpRevision", "3.4.26", "3.4.27"],
    ["canBumpRevision", "3.5.9", "3.5.10"],
    ["canBumpRevision", "3.3.27", "3.6.0"],
    ["canDowngrade", "3.5.35", "3.6.0"],
    ["refusesFlagAndVariable", "3.3.27", "3.4.0"],
    ["logOutlivesMinor", "3.3.27", "3.4.0"],
  ])("%s is false in %s and true in %s", (fact, before, after) => {
    expect([of(before)[fact], of(after)[fact]]).toEqual([false, true]);
  });

  test.each<[keyof VersionFacts, string, string]>([
    ["hasShellInImage", "3.5.6", "3.5.7"],
    ["hasShellInImage", "3.4.22", "3.4.23"],
    ["hasShellInImage", "3.3.27", "3.6.0"],
    ["hasExperimentalFlags", "3.6.16", "3.7.0"],
    ["isCorrupting", "3.5.2", "3.5.3"],
    ["healthWritesLog", "3.4.37", "3.5.0"],
    ["losesPromotions", "3.5.19", "3.5.20"],
    ["logOutlivesMinor", "3.6.16", "3.7.3"],
  ])("%s is true in %s and false in %s", (fact, before, after) => {
    expect([of(before)[fact], of(after)[fact]]).toEqual([true, false]);
  });

  test("pre-vote came with 3.4, switched off", () => {
    expect(["3.3.25", "3.4.23", "3.5.16", "3.7.3"].map((text) => of(text).preVote)).toEqual([
      "absent",
      "off-by-default",
      "on-by-default",
      "on-by-default",
    ]);
  });

  test("restoring moved from etcdctl to etcdutl", () => {
    expect(["3.4.23", "3.5.16", "3.6.16"].map((text) => of(text).restoreTools)).toEqual([
      ["etcdctl"],
      ["etcdutl", "etcdctl"],
      ["etcdutl"],
    ]);
  });

  test("names the patch to be at before the next minor", () => {
    expect(["3.4.23", "3.5.16", "3.6.16"].map((text) => of(text).patchBeforeNextMinor)).toEqual([0, 32, 11]);
  });

  test("the log is saved ten times as often from 3.6 on", () => {
    expect(["3.3.25", "3.5.35", "3.6.16"].map((text) => of(text).snapshotCount)).toEqual([100_000, 100_000, 10_000]);
  });

  test("a minor newer than we know is taken for the newest we know", () => {
    expect(of("3.9.0")).toEqual(of("3.7.3"));
  });
});

describe("flagsToSwitchOn", () => {
  test.each([
    ["3.2.32", []],
    ["3.3.25", ["--experimental-initial-corrupt-check=true"]],
    ["3.5.4", ["--experimental-initial-corrupt-check=true"]],
    ["3.5.5", ["--experimental-initial-corrupt-check=true", "--experimental-compact-hash-check-enabled=true"]],
    ["3.6.16", ["--feature-gates=InitialCorruptCheck=true,CompactHashCheck=true"]],
    ["3.7.3", ["--feature-gates=InitialCorruptCheck=true,CompactHashCheck=true"]],
  ])("etcd %s is told %j", (text, flags) => {
    const { initialCorruptCheck, compactHashCheck } = of(text);
    expect(flagsToSwitchOn([initialCorruptCheck, compactHashCheck])).toEqual(flags);
  });
});

function of(text: string): VersionFacts {
  const version = parseVersion(text);
  if (!version) throw new Error(`not a version: ${text}`);
  return factsOf(version);
}
