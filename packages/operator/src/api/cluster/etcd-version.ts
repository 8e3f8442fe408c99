import * as z from "zod";
import { ITSELF, matching, type Rule, refusing, withRules } from "../schema/rule.ts";

export interface EtcdVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** The oldest and newest minor of etcd 3 that the operator runs. */
const OLDEST_MINOR = 2;
const NEWEST_MINOR = 7;

/** Reads `3.5.16`, `v3.5.16` and `3.5.16-amd64`; a pre-release or anything else is not a version we run. */
export function parseEtcdVersion(text: string): EtcdVersion | undefined {
  if (!new RegExp(ETCD_VERSION_FORMAT).test(text) || new RegExp(PRE_RELEASE).test(text)) return undefined;
  const [major = 0, minor = 0, patch = 0] = releaseOf(normalizedEtcdVersion(text)).split(".").map(Number);
  return { major, minor, patch };
}

/** The version as image tags and members report it, without the leading v that old YAML may carry. */
export function normalizedEtcdVersion(text: string): string {
  return text.replace(/^v/, "");
}

/** The image of a release, in the build that the spec asks for by the end of its version, such as `-amd64`. */
export function etcdImage(spec: { readonly repository: string; readonly version: string }, version: string): string {
  return `${spec.repository}:v${releaseOf(version)}${spec.version.slice(releaseOf(spec.version).length)}`;
}

function releaseOf(text: string): string {
  return text.split("-", 1)[0] ?? text;
}

/**
 * In CEL's spelling, which JavaScript understands too. What follows the release describes the image: its builder, and
 * its platform.
 */
export const ETCD_VERSION_FORMAT = String.raw`^v?(0|[1-9][0-9]{0,3})(\.(0|[1-9][0-9]{0,3})){2}(-[a-z0-9]+([.-][a-z0-9]+)*)?$`;
const PRE_RELEASE = "^[^-]*-(alpha|beta|rc|pre|dev|nightly|snapshot)";
const NOT_A_RELEASE =
  "version '{}' is not a release of etcd: write major.minor.patch such as '3.5.16', without a pre-release suffix";

const format = matching(ETCD_VERSION_FORMAT, NOT_A_RELEASE);

const isWellFormed: Rule<string> = {
  ...format,
  holds: (text) => text === "" || format.holds(text),
  cel: `self == '' || self.matches(r'${ETCD_VERSION_FORMAT}')`,
};

const isNoPreRelease = refusing(PRE_RELEASE, NOT_A_RELEASE);

const isSupported: Rule<string> = {
  holds: (text) => {
    const version = parseEtcdVersion(text);
    return !version || (version.major === 3 && version.minor >= OLDEST_MINOR && version.minor <= NEWEST_MINOR);
  },
  cel: `!self.matches(r'${ETCD_VERSION_FORMAT}') || self.matches(r'^v?3\\.[${OLDEST_MINOR}-${NEWEST_MINOR}]\\.')`,
  message: `version '{}' is not supported by this operator: choose one from 3.${OLDEST_MINOR} to 3.${NEWEST_MINOR}`,
  offender: ITSELF,
};

const isNotCorrupting = refusing(
  String.raw`^v?3\.5\.[0-2](-|$)`,
  "version '{}' can corrupt data (etcd 3.5.0 to 3.5.2): choose 3.5.3 or newer",
);

/**
 * What a new cluster runs whose spec names no version: the newest etcd that this release is tested with. It says
 * nothing about a cluster that exists, which keeps what it runs; so it may grow with any release.
 */
export const NEWEST_TESTED_VERSION = "3.7.3";

/**
 * Judged as it was written, read without its leading v: whatever decides or compares has one spelling of a version.
 * Empty where none is named.
 */
export const etcdVersion = withRules(z.string().max(32), [
  isWellFormed,
  isNoPreRelease,
  isSupported,
  isNotCorrupting,
]).overwrite(normalizedEtcdVersion);
