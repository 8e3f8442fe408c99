import { z } from "zod";
import { type Rule, withRules } from "./rule.ts";

export interface EtcdVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** The oldest and newest minor of etcd 3 that the operator runs. */
export const OLDEST_MINOR = 2;
export const NEWEST_MINOR = 7;

/** Reads `3.5.16` or `v3.5.16`; a pre-release or anything else is not a version we run. */
export function parseEtcdVersion(text: string): EtcdVersion | undefined {
  const match = /^v?(\d{1,4})\.(\d{1,4})\.(\d{1,4})$/.exec(text);
  if (!match) return undefined;
  return { major: Number(match[1]), minor: Number(match[2]), patch: Number(match[3]) };
}

/** The version as image tags and members report it, without the leading v that old YAML may carry. */
export function normalizedEtcdVersion(text: string): string {
  return text.replace(/^v/, "");
}

/** Whether a roll may go from one version to another: the same minor, the next, or one back. */
export function isVersionStep(from: EtcdVersion, to: EtcdVersion): boolean {
  return from.major === to.major && Math.abs(to.minor - from.minor) <= 1;
}

const FORMAT = String.raw`^v?[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}$`;

const isWellFormed: Rule<string> = {
  holds: (text) => parseEtcdVersion(text) !== undefined,
  cel: `self.matches(r'${FORMAT}')`,
  message:
    "version '{}' is not a release of etcd: write major.minor.patch such as '3.5.16', without a pre-release suffix",
  offender: { of: (text) => text, cel: "self" },
};

const isSupported: Rule<string> = {
  holds: (text) => {
    const version = parseEtcdVersion(text);
    return !version || (version.major === 3 && version.minor >= OLDEST_MINOR && version.minor <= NEWEST_MINOR);
  },
  cel: `!self.matches(r'${FORMAT}') || self.matches(r'^v?3\\.[${OLDEST_MINOR}-${NEWEST_MINOR}]\\.')`,
  message: `version '{}' is outside what this operator runs: choose one from 3.${OLDEST_MINOR} to 3.${NEWEST_MINOR}`,
  offender: { of: (text) => text, cel: "self" },
};

const isNotCorrupting: Rule<string> = {
  holds: (text) => !/^v?3\.5\.0*[0-2]$/.test(text),
  cel: String.raw`!self.matches(r'^v?3\.5\.0*[0-2]$')`,
  message: "version '{}' can corrupt data (etcd 3.5.0 to 3.5.2): choose 3.5.3 or newer",
  offender: { of: (text) => text, cel: "self" },
};

export const etcdVersion = withRules(z.string().max(32), [isWellFormed, isSupported, isNotCorrupting]);
