import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { fieldCases } from "@etcd-operator/testing/scenario/cluster/field-cases.ts";
import { type FieldValue, refused, reported, works } from "../field-value.ts";
import type { Entries, Entry } from "./entry.ts";
import { podEntries } from "./pod-entries.ts";
import { tlsEntries } from "./tls-entries.ts";

/** What every cluster has to begin with, unless it is in trouble: then there are more. */
export const CLUSTER_SPEC = {
  size: 1,
  version: "3.5.35",
  bootstrap: { mode: "Parallel" },
  pod: { persistentVolumeClaimSpec: A_CLAIM },
};

/** Where one more or less makes a difference. */
const THREE = { size: 3 };

/** The value that the scenarios on real etcd try, too. */
export function tried(path: string): FieldValue {
  const { value, isIn } = fieldCases[path] ?? {};
  if (value === undefined) throw new Error(`there is no case of ${path}`);
  return works("usual", value, isIn);
}

const nothingMore: Entry = {};
const name: Entry = { but: { longest: "works" }, also: [works("usual", "nightly"), refused("capitals", "Nightly")] };

/** Every property of an EtcdCluster's spec. */
export const clusterEntries: Entries = {
  size: { given: THREE, also: [works("even", 2), works("more", 5)] },
  repository: {
    also: [
      tried("repository"),
      reported("no-such-image", "registry.invalid/etcd", /image/i),
      reported("no-image-name", "quay.io/CoreOS/etcd", /image/i),
      refused("spaces", "quay.io/coreos/etcd mirror"),
    ],
  },
  version: {
    given: THREE,
    but: { longest: "refused" },
    also: [
      works("patch", "3.5.36"),
      works("with-v", "v3.5.34"),
      works("next-minor", "3.6.11"),
      reported("no-such-patch", "3.5.99", /image/i),
      reported("minor-below", "3.4.23", /3\.4\.23/),
      ...["3.7.0", "3.3.27", "3.5", "latest", "3.5.0", "4.0.0", "3.5.16-rc.1", "3.5.016"].map((text) =>
        refused(`version-${text}`, text),
      ),
      // It keeps what it runs.
      works("absent", undefined),
    ],
  },
  // In trouble it would stay in it, as long as it is paused.
  paused: { also: [works("usual", false)] },
  ...podEntries,
  ...tlsEntries,
  etcd: nothingMore,
  "etcd.quotaBackendBytes": { also: [tried("etcd.quotaBackendBytes")] },
  "etcd.autoCompactionMode": { also: [tried("etcd.autoCompactionMode")] },
  "etcd.autoCompactionRetention": {
    but: { empty: "refused", longest: "refused" },
    also: [
      tried("etcd.autoCompactionRetention"),
      works("duration", "30m"),
      works("nothing", "0"),
      refused("no-duration", "-5"),
    ],
  },
  "etcd.heartbeatIntervalMs": {
    but: { maximum: "refused" },
    also: [tried("etcd.heartbeatIntervalMs"), works("highest", 200), refused("above-highest", 201)],
  },
  "etcd.electionTimeoutMs": {
    but: { minimum: "refused" },
    also: [tried("etcd.electionTimeoutMs"), works("lowest", 500), refused("below-lowest", 499)],
  },
  "etcd.snapshotCount": { also: [tried("etcd.snapshotCount")] },
  "etcd.maxRequestBytes": { also: [tried("etcd.maxRequestBytes")] },
  bootstrap: nothingMore,
  "bootstrap.mode": nothingMore,
  "bootstrap.onExistingVolumes": nothingMore,
  persistentVolumeClaimRetentionPolicy: nothingMore,
  "persistentVolumeClaimRetentionPolicy.whenDeleted": nothingMore,
  "persistentVolumeClaimRetentionPolicy.whenScaled": nothingMore,
  memberReplacement: nothingMore,
  rebalance: { ...nothingMore, also: [tried("rebalance")] },
  "memberReplacement.afterSeconds": { also: [tried("memberReplacement.afterSeconds")] },
  upgrade: nothingMore,
  "upgrade.backupName": name,
  recovery: nothingMore,
  "recovery.onQuorumLoss": {
    given: { "recovery.backupName": "nightly" },
    also: [],
  },
  "recovery.graceSeconds": { also: [tried("recovery.graceSeconds")] },
  "recovery.backupName": {
    ...name,
    given: { "recovery.backupName": "weekly", "recovery.onQuorumLoss": "RestoreLatestBackup" },
    but: { empty: "refused" },
    also: [...(name.also ?? []), refused("absent", undefined)],
  },
};
