import { createHash } from "node:crypto";

export const NAMESPACE = "scale";
/** Members of each cluster. */
export const SIZE = 3;
export const VERSION = "3.5.16";

/**
 * What the clusters of a fleet are called; all names are of one length, so that one can be put in the place of another.
 */
export function clusterName(index: number): string {
  return `fleet-${String(index).padStart(5, "0")}`;
}

/** Whose an object is, by its path: the names of all that belongs to a cluster begin with that of the cluster. */
export function clusterOf(path: string): string | undefined {
  return /\/(fleet-\d{5})(?:[-/?]|$)/.exec(path)?.[1];
}

// All of 127.0.0.0/8 is loopback, so every member has an address of its own; programs of others live at the beginning
// of it.
const FIRST_ADDRESS = (127 << 24) | (64 << 16);

/** Where a member listens. */
export function addressOf(index: number, member: number): string {
  const address = FIRST_ADDRESS + index * SIZE + member;
  return [24, 16, 8, 0].map((bits) => (address >> bits) & 0xff).join(".");
}

/** The id that a simulated cluster or member has, which follows from its name. */
export function idOf(name: string): bigint {
  return createHash("sha256").update(name).digest().readBigUInt64BE();
}
