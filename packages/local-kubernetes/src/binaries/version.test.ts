import { describe, expect, test } from "vitest";
import { BinariesError } from "./binaries-error.ts";
import { compareVersions, plainVersion, reportedVersion } from "./version.ts";

describe("plainVersion", () => {
  test.each([
    ["3.5.16", "3.5.16"],
    ["v3.5.16", "3.5.16"],
    [" v3.6.0-rc.1\n", "3.6.0-rc.1"],
  ])("reads %j as %s", (written, version) => {
    expect(plainVersion(written)).toBe(version);
  });

  test.each(["", "3.5", "latest", "vv3.5.16", "../3.5.16", "3.5.16/..", "3.5.16 3.4.23"])("refuses %j", (written) => {
    expect(() => plainVersion(written)).toThrowError(
      expect.objectContaining({ constructor: BinariesError, code: "invalid-version" }),
    );
  });
});

describe("compareVersions", () => {
  test("orders by number, not by letter, and pre-releases before their release", () => {
    const shuffled = ["3.5.30", "3.10.0", "3.6.0", "3.5.4", "3.6.0-rc.1", "3.6.0-rc.10", "3.6.0-rc.2"];
    expect(shuffled.sort(compareVersions)).toEqual([
      "3.5.4",
      "3.5.30",
      "3.6.0-rc.1",
      "3.6.0-rc.2",
      "3.6.0-rc.10",
      "3.6.0",
      "3.10.0",
    ]);
  });

  test("calls a version equal to itself", () => {
    expect(compareVersions("3.5.16", "3.5.16")).toBe(0);
  });
});

describe("reportedVersion", () => {
  test("finds the version among the other lines", () => {
    expect(reportedVersion("etcd Version: 3.5.16\nGit SHA: Not provided\nGo Version: go1.23\n")).toBe("3.5.16");
  });

  test("finds none in what another program prints", () => {
    expect(reportedVersion("etcdctl version: 3.5.16\nAPI version: 3.5\n")).toBeUndefined();
  });
});
