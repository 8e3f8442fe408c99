import { BinariesError } from "./binaries-error.ts";

const versionPattern = /^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$/;

/** The plain form of a version as users write it: "v3.5.16" and "3.5.16" are the same. */
export function plainVersion(written: string): string {
  const version = written.trim().replace(/^v/, "");
  // The version becomes part of a path, so nothing but a version may pass.
  if (versionPattern.test(version)) return version;
  throw new BinariesError(
    "invalid-version",
    "read a version",
    `"${written}" is not an etcd version: write all three numbers, as in 3.5.16`,
  );
}

export function isVersion(text: string): boolean {
  return versionPattern.test(text);
}

/** Orders versions oldest first; a pre-release comes before its release. */
export function compareVersions(a: string, b: string): number {
  const [aRelease = "", aPre] = splitPreRelease(a);
  const [bRelease = "", bPre] = splitPreRelease(b);
  const order = compareNumbers(aRelease, bRelease);
  if (order !== 0 || aPre === bPre) return order;
  if (aPre === undefined) return 1;
  if (bPre === undefined) return -1;
  return aPre.localeCompare(bPre, "en", { numeric: true });
}

/** The version in what `etcd --version` printed. */
export function reportedVersion(output: string): string | undefined {
  return /^etcd Version: (\S+)$/m.exec(output)?.[1];
}

function splitPreRelease(version: string): [string, string | undefined] {
  const dash = version.indexOf("-");
  return dash < 0 ? [version, undefined] : [version.slice(0, dash), version.slice(dash + 1)];
}

function compareNumbers(a: string, b: string): number {
  const left = a.split(".").map(Number);
  const right = b.split(".").map(Number);
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
