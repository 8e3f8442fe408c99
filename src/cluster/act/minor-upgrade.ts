import type { EtcdClient } from "../../etcd/etcd-client.ts";
import { EtcdError } from "../../etcd/etcd-error.ts";
import { parseVersion } from "../../etcd/version.ts";
import { nameOf } from "../members.ts";
import type { EtcdMember } from "../observation.ts";
import type { Work } from "./work.ts";

/**
 * Why the members must not leave their minor now. What is wrong before an upgrade is harder to tell after it: data that differs
 * between members, and users, whose log entries 3.4 and 3.5 apply differently while they run side by side.
 */
export async function whyMinorCannotBeLeft(work: Work, members: readonly EtcdMember[]): Promise<string | undefined> {
  const names = members.filter(({ isLearner }) => !isLearner).map(nameOf);
  const clients = await Promise.all(names.map((name) => work.etcd.clientOf(name)));
  const [first] = clients;
  if (!first) return undefined;
  if (runs34(work) && (await isAuthEnabled(first))) {
    return "etcd 3.4 with users enabled cannot be rolled to 3.5: disable authentication for the upgrade, then enable it again";
  }
  return whyDataDiffers(names, clients);
}

/** At one revision that all have, the hash of all keys is the same everywhere. */
async function whyDataDiffers(names: readonly string[], clients: readonly EtcdClient[]): Promise<string | undefined> {
  const statuses = await Promise.all(clients.map((client) => client.status()));
  const revision = statuses.map((status) => status.revision).reduce((a, b) => (a < b ? a : b));
  try {
    const hashes = await Promise.all(clients.map((client) => client.hashKeyValues(revision)));
    const [one] = hashes;
    // A compaction in between makes hashes incomparable, not different.
    const odd = hashes.findIndex(
      ({ hash, compactRevision }) => compactRevision === one?.compactRevision && hash !== one.hash,
    );
    return odd < 0
      ? undefined
      : `the data of ${names[odd]} differs from that of ${names[0]} at revision ${revision}: replace the wrong one first`;
  } catch (error) {
    if (error instanceof EtcdError && ["compacted", "future-revision", "unsupported"].includes(error.code))
      return undefined;
    throw error;
  }
}

function runs34({ seen }: Work): boolean {
  return seen.pods.some(({ answer }) => parseVersion(answer.status?.version ?? "")?.minor === 4);
}

/** 3.4 cannot be asked, but refuses to read for nobody in particular. */
async function isAuthEnabled(client: EtcdClient): Promise<boolean> {
  try {
    await client.range({ key: "health", countOnly: true });
    return false;
  } catch (error) {
    if (error instanceof EtcdError && error.code === "auth") return true;
    throw error;
  }
}
