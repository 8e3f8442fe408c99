import { expect, test } from "vitest";
import { compareVersions, formatVersion, isSameRelease, parseVersion } from "./version.ts";

test.each([
  ["3.5.16", "3.5.16"],
  ["v3.4.23", "3.4.23"],
  ["3.6.0-rc.1", "3.6.0"],
])("%s is read as %s", (text, expected) => {
  const version = parseVersion(text);
  expect(version && formatVersion(version)).toBe(expected);
});

test.each(["", "3.5", "latest", "3.5.16.1", "3.x.1"])("'%s' is not a version", (text) => {
  expect(parseVersion(text)).toBeUndefined();
});

test("versions are ordered by number, not by letter", () => {
  const texts = ["3.5.9", "3.10.0", "3.5.16", "3.4.23"];
  const versions = texts.flatMap((text) => parseVersion(text) ?? []);
  expect(versions.sort(compareVersions).map(formatVersion)).toEqual(["3.4.23", "3.5.9", "3.5.16", "3.10.0"]);
});

test("a release is the same in every build, and text that is not a version is none", () => {
  expect(isSameRelease("v3.5.16", "3.5.16+vendor.1")).toBe(true);
  expect(isSameRelease("3.5.16", "3.5.17")).toBe(false);
  expect(isSameRelease("latest", "latest")).toBe(false);
  expect(isSameRelease(undefined, undefined)).toBe(false);
});
