import { describe, expect, test } from "vitest";
import { listedVersions, upstreamVersion } from "./debian-packages.ts";

describe("upstreamVersion", () => {
  test.each([
    ["3.3.25+dfsg-6+b6", "3.3.25"],
    ["3.4.23-4+b4", "3.4.23"],
    ["3.5.16-4", "3.5.16"],
    ["1:3.5.30-2", "3.5.30"],
    ["3.6.0~rc.1-1", "3.6.0-rc.1"],
    ["3.5.16", "3.5.16"],
  ])("finds in %s the upstream version %s", (debianVersion, version) => {
    expect(upstreamVersion(debianVersion)).toBe(version);
  });
});

describe("listedVersions", () => {
  test("lists what is there of the package asked for", () => {
    const madison = [
      "etcd-server | 3.5.30-2 | http://mirror.test/debian sid/main amd64 Packages",
      "etcd-server |   3.5.29-1 | http://other.test/debian sid/main amd64 Packages",
      "etcd-client | 3.5.28-1 | http://mirror.test/debian sid/main amd64 Packages",
    ].join("\n");
    expect(listedVersions(madison, "etcd-server")).toEqual(["3.5.30-2", "3.5.29-1"]);
  });

  test("lists nothing when apt knows no such package", () => {
    expect(listedVersions("", "etcd-server")).toEqual([]);
  });
});
