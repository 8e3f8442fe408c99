import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { logEnd } from "./log-end.ts";
import type { LogPlace } from "./log-reached.ts";
import { type Identity, walIdentity } from "./wal-identity.ts";

/** What lies in etcd's data directory. */
export type DataDirectory =
  | { readonly kind: "empty" }
  | ({ readonly kind: "member" } & Identity & {
        /** Where its log ends, if that was asked for. */
        readonly end?: LogPlace;
      })
  /** Files, but no log: etcd would treat it as empty and start without data. */
  | { readonly kind: "log-gone"; readonly file: string }
  | { readonly kind: "log-unreadable"; readonly why: string };

/**
 * Inspects without changing anything. A folder without files is empty; one that cannot be read throws. Finding the
 * end of a log takes longer.
 */
export function dataDirectory(path: string, needsEnd = false): DataDirectory {
  const member = join(path, "member");
  const [file] = filesIn(member);
  if (file === undefined) return { kind: "empty" };
  const wal = join(member, "wal");
  const segments = filesIn(wal).filter((name) => name.endsWith(".wal"));
  if (segments.length === 0) return { kind: "log-gone", file: join(member, file) };
  // Their names begin with their numbers.
  const byAge = segments.sort().map((name) => join(wal, name));
  const found = identityOf(byAge);
  return found.kind === "member" && needsEnd ? { ...found, end: logEnd(byAge) } : found;
}

/** Every segment says whose it is, and all must say the same; etcd itself would stop on the first that differs. */
function identityOf(segments: readonly string[]): DataDirectory {
  const identities = segments.map((segment) => walIdentity(headOf(segment)));
  const unreadable = identities.indexOf(undefined);
  if (unreadable >= 0) return { kind: "log-unreadable", why: `${segments[unreadable]} does not say whose log it is` };
  const [first, ...others] = identities as Identity[];
  if (!first || others.some((other) => !isSame(other, first))) {
    return { kind: "log-unreadable", why: "its files are from different members" };
  }
  return { kind: "member", ...first };
}

function isSame(a: Identity, b: Identity): boolean {
  return a.memberId === b.memberId && a.clusterId === b.clusterId;
}

// A segment has 64 MB; whose log it is stands within its first hundred bytes.
const HEAD_BYTES = 4096;

function headOf(file: string): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  const descriptor = openSync(file, "r");
  try {
    return head.subarray(0, readSync(descriptor, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** Files below a folder, at any depth; none when there is no such folder. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
