import { type EtcdVersion, parseEtcdVersion } from "../../api/cluster/etcd-version.ts";
import { parseQuantity } from "../../api/schema/quantity.ts";
import type { UnverifiedReason } from "../reasons.ts";
import type { SnapshotFacts, WholeSnapshot } from "./look-into-snapshot.ts";

/** As much of the cluster's spec as a snapshot must fit. */
export interface Target {
  readonly name: string;
  readonly version: string;
  /** What a member's claim asks for; undefined without claims. */
  readonly storage: string | number | undefined;
  /**
   * Ids of the etcd clusters that it must come from; undefined where a user has chosen it, and may want another
   * cluster's.
   */
  readonly origins: readonly string[] | undefined;
  /** Of another id, the one snapshot that it may be all the same: the cluster was restored from it. */
  readonly restored?: { readonly clusterID: string; readonly revision: number };
}

export interface Refusal {
  readonly kind: "refused";
  readonly reason: UnverifiedReason;
  readonly message: string;
}

/** Why a snapshot must not be restored, as far as a quick check shows; undefined when nothing speaks against it. */
export function refusalOf(facts: SnapshotFacts, path: string, target: Target): Refusal | undefined {
  if (facts.contents.kind === "no-database") {
    const why = `'${path}' is not an etcd snapshot, or incomplete: ${facts.contents.why}`;
    return refused("NoSnapshot", `${why}. Set another backup in the spec`);
  }
  return refusalOfOrigin(facts, path, target) ?? refusalOfSize(facts, path, target);
}

/** The metadata beside it is trusted because it has to agree with the complete file, too. */
function refusalOfOrigin({ metadata }: SnapshotFacts, path: string, target: Target): Refusal | undefined {
  const { name, origins, restored } = target;
  const isRestored = restored?.clusterID === metadata?.clusterID && restored?.revision === metadata?.revision;
  if (!origins || (metadata && (isRestored || origins.includes(metadata.clusterID)))) return undefined;
  const why = metadata
    ? `is a backup of the etcd cluster ${metadata.clusterID}`
    : "has no metadata that records its cluster";
  const remedy = "Create an EtcdRestore to use it anyway";
  return refused(
    "OtherCluster",
    `'${path}' ${why}, and EtcdCluster '${name}' is automatically restored from its own backups only. ${remedy}`,
  );
}

/** The same, once all of it was read. What it says of its version counts only when nothing in it was changed. */
export function refusalOfWhole(
  whole: WholeSnapshot,
  facts: SnapshotFacts,
  path: string,
  target: Target,
): Refusal | undefined {
  return refusalOfBytes(whole, facts, path) ?? refusalOfVersion(versionOf(facts), path, target);
}

function refusalOfBytes(whole: WholeSnapshot, { metadata }: SnapshotFacts, path: string): Refusal | undefined {
  const remedy = "Set another backup in the spec";
  if (whole.verdict === "hash-missing") {
    const why = "it does not end in the hash that etcd writes: it was truncated, or copied from a data directory";
    return refused("NoHash", `'${path}' cannot be trusted: ${why}. ${remedy}`);
  }
  if (whole.verdict === "hash-mismatch") {
    const why = "its contents do not match its own hash";
    return refused("Damaged", `'${path}' is damaged: ${why}. ${remedy}`);
  }
  if (metadata && metadata.sha256 !== whole.sha256) {
    const why = "its SHA-256 differs from the one recorded when it was taken";
    return refused("NotAsRecorded", `'${path}' is not the backup that was taken: ${why}. ${remedy}`);
  }
  return undefined;
}

/** The version that a snapshot comes from, as exactly as is known. */
export function versionOf({ contents, metadata }: SnapshotFacts): string | undefined {
  if (metadata) return metadata.etcdVersion;
  return contents.kind === "database" ? (contents.storageVersion ?? contents.clusterVersion) : undefined;
}

function refusalOfVersion(text: string | undefined, path: string, target: Target): Refusal | undefined {
  const [version, wanted] = [parseEtcdVersion(text ?? ""), parseEtcdVersion(target.version)];
  // A cluster too young to have agreed on a version leaves none; the tool that restores has the last word then.
  if (!version || !wanted) return undefined;
  const distance = wanted.major === version.major ? wanted.minor - version.minor : Number.NaN;
  if (distance === 0 || distance === 1) return undefined;
  const [from, to] = [minorOf(version), minorOf(wanted)];
  if (distance > 1) {
    const next = `3.${version.minor + 1}`;
    const remedy = `Restore it into a cluster of ${from} or ${next} first, and upgrade that one minor at a time`;
    return refused(
      "OldVersion",
      `'${path}' comes from etcd ${from}, too old for EtcdCluster '${target.name}' of ${to}. ${remedy}`,
    );
  }
  const remedy = `Restore it into a cluster of ${from}, or use an older backup`;
  return refused(
    "NewerVersion",
    `'${path}' comes from etcd ${from}, newer than EtcdCluster '${target.name}' of ${to}. ${remedy}`,
  );
}

const MEBIBYTE = 1024 * 1024;
/** Beside its database a member has its log, of which one file is made ahead. */
const LOG_BYTES = 64 * MEBIBYTE;
const ROOM_TO_GROW = 1.1;

function refusalOfSize({ sizeBytes }: SnapshotFacts, path: string, target: Target): Refusal | undefined {
  const storageBytes = target.storage === undefined ? undefined : parseQuantity(target.storage);
  const neededBytes = Math.ceil(sizeBytes * ROOM_TO_GROW + LOG_BYTES);
  if (storageBytes === undefined || neededBytes <= storageBytes) return undefined;
  const needed = `${Math.ceil(neededBytes / MEBIBYTE)}Mi`;
  const what = `'${path}' has ${sizeBytes} bytes and needs ${needed}, more than the ${target.storage} that members of EtcdCluster '${target.name}' have`;
  const remedy = "Request more in spec.pod.persistentVolumeClaimSpec.resources.requests.storage";
  return refused("TooLarge", `${what}. ${remedy}`);
}

function minorOf({ major, minor }: EtcdVersion): string {
  return `${major}.${minor}`;
}

function refused(reason: UnverifiedReason, message: string): Refusal {
  return { kind: "refused", reason, message };
}
