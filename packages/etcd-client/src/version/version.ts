/** A release of etcd. */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** Reads "3.5.16", "v3.5.16" and what pre-releases report ("3.6.0-rc.1"); undefined for anything else. */
export function parseVersion(text: string): Version | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(text);
  if (!match) return undefined;
  const [, major, minor, patch] = match;
  return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

export function formatVersion({ major, minor, patch }: Version): string {
  return `${major}.${minor}.${patch}`;
}

/** Negative when `a` is older, positive when it is newer, 0 when they are the same release. */
export function compareVersions(a: Version, b: Version): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}

/** Whether two texts name the same release, in any build; text that is not a version names none. */
export function isSameRelease(a: string | undefined, b: string | undefined): boolean {
  const [first, second] = [parseVersion(a ?? ""), parseVersion(b ?? "")];
  return first !== undefined && second !== undefined && compareVersions(first, second) === 0;
}
