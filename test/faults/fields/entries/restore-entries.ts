import { CLUSTER } from "../../workloads/stage.ts";
import { refused, reported, works } from "../field-value.ts";
import type { Entries, Entry } from "./entry.ts";
import { S3_BLOCK, storeEntries } from "./store-entries.ts";

/** What every restore has to begin with. */
export const RESTORE_SPEC = { etcdCluster: { name: CLUSTER }, backupStorageType: "S3", s3: S3_BLOCK };

const template: Entry = { also: [works("usual", { spec: { size: 1, version: "3.5.35" } })] };
const map: Entry = { along: { "clusterTemplate.spec": { size: 1 } } };

/** Every property of an EtcdRestore's spec, but for those of the cluster that it may have to make. */
export const restoreEntries: Entries = {
  ...storeEntries("backupStorageType"),
  etcdCluster: {},
  "etcdCluster.name": {
    but: { empty: "refused", longest: "refused" },
    also: [reported("no-such-cluster", "none-such", /none-such/), refused("dots", "a.b")],
  },
  clusterTemplate: template,
  "clusterTemplate.metadata": map,
  "clusterTemplate.metadata.labels": { ...map, also: [works("usual", { team: "a" })] },
  "clusterTemplate.metadata.labels{}": { ...map, also: [works("usual", "a")] },
  "clusterTemplate.metadata.annotations": { ...map, also: [works("usual", { note: "a" })] },
  "clusterTemplate.metadata.annotations{}": { ...map, also: [works("usual", "any text")] },
  "clusterTemplate.spec": { also: [works("usual", { size: 3 })] },
  revisionBump: { also: [works("usual", 1_000)] },
  preferNewerSurvivor: {},
};
