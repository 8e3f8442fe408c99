import type { CallOptions, EtcdClient, KeyValueHash } from "@etcd-operator/etcd-client";
import { compareVersions, EtcdError, parseVersion } from "@etcd-operator/etcd-client";
import { barred, type Postponed, postponed, settled } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { Voter } from "../model/quorum.ts";
import { listOf, situationOf } from "../model/situation.ts";
import { outlivesMinor, turnedOverAt } from "./log-mark.rule.ts";

/**
 * Why the members must not leave their minor now. What is wrong before an upgrade is harder to notice after it: data
 * that differs between members, and users, whose log entries 3.4 and 3.5 apply differently while they run side by side.
 * A member that is down cannot be queried, and its data is not what clients read.
 *
 * @param leaving the member that is to leave it, unless that is a new one
 */
export async function whyMinorCannotBeLeft(
  work: Work,
  minor: string,
  voters: readonly Voter[],
  leaving?: string,
): Promise<Postponed | undefined> {
  const names = voters.filter(({ isUp }) => isUp).map(({ name }) => name);
  const [first] = names;
  if (first === undefined) return undefined;
  if (minor === "3.4" && (await work.etcd.ask(first, isAuthEnabled))) {
    return barred(AUTH_IN_THE_WAY);
  }
  // It may have gone before it saved its log; up again, it gets what it missed from the others.
  if (leaving !== undefined && !names.includes(leaving) && outlivesMinor(minor)) {
    return postponed(`${leaving} has to run ${minor} first, to save its log`, SOON_MS);
  }
  const behind =
    (await whyVersionLags(work, minor, names)) ??
    (await whyDowngradeLasts(work, minor, first)) ??
    (await whyLogIsUnsaved(work, minor, names));
  if (behind) return postponed(behind, SOON_MS);
  const differs = await whyDataDiffers(work.etcd, names);
  return differs === undefined ? undefined : barred(differs);
}

const AUTH_IN_THE_WAY =
  "etcd 3.4 with authentication enabled cannot be upgraded to 3.5: disable authentication for the upgrade, then enable it again";
/** What etcd resolves by itself; anything else needs a person. */
const SOON_MS = 1_000;

/**
 * A member changes its minor at once; what they have in common follows some seconds later, and the next minor builds on
 * that.
 */
async function whyVersionLags({ etcd }: Work, minor: string, names: readonly string[]): Promise<string | undefined> {
  const told = await settled(
    names.map((name) =>
      etcd.ask(name, async (client, options) => ({
        cluster: await client.clusterVersion(options),
        data: (await client.status(options)).storageVersion,
      })),
    ),
  );
  if (told.some(({ cluster }) => isBelow(cluster, minor)))
    return `waiting for etcd to raise the version of the cluster to ${minor}`;
  const behind = names.filter((_, index) => isBelow(told[index]?.data, minor));
  return behind.length > 0 ? `waiting for etcd to raise the data of ${listOf(behind)} to ${minor}` : undefined;
}

/**
 * Having gone back, etcd forgets about it some seconds later, and lets no newer member join before; with one that tries
 * to, never. Only 3.6 and newer report it by themselves; 3.5 does when asked whether it could go back further.
 */
async function whyDowngradeLasts({ etcd }: Work, minor: string, name: string): Promise<string | undefined> {
  const left = parseVersion(`${minor}.0`);
  if (!left || left.minor < 5) return undefined;
  try {
    await etcd.ask(name, (client, options) => client.downgrade("validate", `3.${left.minor - 1}`, options));
    return undefined;
  } catch (error) {
    if (!(error instanceof EtcdError)) throw error;
    return /job in progress/.test(error.message) ? "waiting for etcd to end its downgrade" : undefined;
  }
}

/** A member that has yet to agree on a version reports an error message. Before 3.6 the data has none. */
function isBelow(text: string | undefined, minor: string): boolean {
  if (text === undefined) return false;
  const [told, wanted] = [parseVersion(text), parseVersion(`${minor}.0`)];
  return !told || (wanted !== undefined && compareVersions({ ...told, patch: 0 }, wanted) < 0);
}

/** What the next minor cannot read has to be saved away by each of them; see the rule that has it saved. */
async function whyLogIsUnsaved(
  { etcd, seen }: Work,
  minor: string,
  names: readonly string[],
): Promise<string | undefined> {
  if (!outlivesMinor(minor)) return undefined;
  const upTo = turnedOverAt(minor, situationOf(seen));
  if (upTo === undefined) return "the raft index that etcd has to snapshot first is not recorded yet";
  const statuses = await settled(names.map((name) => etcd.ask(name, (client, options) => client.status(options))));
  const behind = names.filter((_, index) => Number(statuses[index]?.raftAppliedIndex ?? 0n) < upTo);
  return behind.length > 0 ? `waiting for ${listOf(behind)} to snapshot their log up to index ${upTo}` : undefined;
}

/** At one revision that all have, the hash of all keys is the same everywhere. */
async function whyDataDiffers(etcd: Work["etcd"], names: readonly string[]): Promise<string | undefined> {
  const statuses = await settled(names.map((name) => etcd.ask(name, (client, options) => client.status(options))));
  const revision = statuses.map((status) => status.revision).reduce((a, b) => (a < b ? a : b));
  try {
    const hashes = await settled(
      names.map((name) => etcd.ask(name, (client, options) => client.hashKeyValues(revision, options))),
    );
    const [most = [], ...rest] = alike(names, hashes);
    return rest.length === 0
      ? undefined
      : `the data of ${listOf(rest.flat())} differs from that of ${listOf(most)} at revision ${revision}: replace the members with wrong data first`;
  } catch (error) {
    if (error instanceof EtcdError && INCOMPARABLE.has(error.code)) return undefined;
    throw error;
  }
}

/**
 * Members with the same data, the largest group first. A compaction in between makes hashes incomparable, not
 * different.
 */
function alike(names: readonly string[], hashes: readonly KeyValueHash[]): readonly (readonly string[])[] {
  const [one] = hashes;
  const groups = new Map<number, string[]>();
  for (const [index, { hash, compactRevision }] of hashes.entries()) {
    if (compactRevision === one?.compactRevision) groups.set(hash, [...(groups.get(hash) ?? []), names[index] ?? ""]);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

/**
 * The revision was compacted meanwhile; 3.2 has no such hash; and with authentication enabled, it is returned to
 * users only.
 */
const INCOMPARABLE: ReadonlySet<string> = new Set(["compacted", "future-revision", "unsupported", "auth"]);

/** 3.4 cannot be queried for it, but refuses an anonymous read. */
async function isAuthEnabled(client: EtcdClient, options: CallOptions): Promise<boolean> {
  try {
    await client.range({ key: "health", countOnly: true }, options);
    return false;
  } catch (error) {
    if (error instanceof EtcdError && error.code === "auth") return true;
    throw error;
  }
}
