import type { CallOptions } from "../../etcd/call-options.ts";
import type { EtcdClient } from "../../etcd/etcd-client.ts";
import { EtcdError } from "../../etcd/etcd-error.ts";
import type { KeyValueHash } from "../../etcd/maintenance.ts";
import type { Voter } from "../quorum.ts";
import { listOf } from "../situation.ts";
import { settled } from "./postponed.ts";
import type { Work } from "./work.ts";

/**
 * Why the members must not leave their minor now. What is wrong before an upgrade is harder to tell after it: data that differs
 * between members, and users, whose log entries 3.4 and 3.5 apply differently while they run side by side. Who is down cannot be
 * asked, and what it holds is not what anybody reads.
 */
export async function whyMinorCannotBeLeft(
  { etcd }: Work,
  minor: string,
  voters: readonly Voter[],
): Promise<string | undefined> {
  const names = voters.filter(({ isUp }) => isUp).map(({ name }) => name);
  const [first] = names;
  if (first === undefined) return undefined;
  if (minor === "3.4" && (await etcd.ask(first, isAuthEnabled))) {
    return "etcd 3.4 with users enabled cannot be rolled to 3.5: disable authentication for the upgrade, then enable it again";
  }
  return whyDataDiffers(etcd, names);
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
      : `the data of ${listOf(rest.flat())} differs from that of ${listOf(most)} at revision ${revision}: replace the wrong one first`;
  } catch (error) {
    if (error instanceof EtcdError && INCOMPARABLE.has(error.code)) return undefined;
    throw error;
  }
}

/** Who has the same data, the most first. A compaction in between makes hashes incomparable, not different. */
function alike(names: readonly string[], hashes: readonly KeyValueHash[]): readonly (readonly string[])[] {
  const [one] = hashes;
  const groups = new Map<number, string[]>();
  for (const [index, { hash, compactRevision }] of hashes.entries()) {
    if (compactRevision === one?.compactRevision) groups.set(hash, [...(groups.get(hash) ?? []), names[index] ?? ""]);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

/** The revision was compacted meanwhile; 3.2 knows no such hash; and where there are users, it tells it to none but them. */
const INCOMPARABLE: ReadonlySet<string> = new Set(["compacted", "future-revision", "unsupported", "auth"]);

/** 3.4 cannot be asked, but refuses to read for nobody in particular. */
async function isAuthEnabled(client: EtcdClient, options: CallOptions): Promise<boolean> {
  try {
    await client.range({ key: "health", countOnly: true }, options);
    return false;
  } catch (error) {
    if (error instanceof EtcdError && error.code === "auth") return true;
    throw error;
  }
}
