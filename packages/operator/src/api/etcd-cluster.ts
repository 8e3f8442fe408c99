import * as z from "zod";
import { domainStays, tlsStays } from "./cluster/address-change.ts";
import { clusterNameRule } from "./cluster/cluster-name.ts";
import { ETCD_VERSION_FORMAT } from "./cluster/etcd-version.ts";
import { storageDoesNotShrink } from "./cluster/storage-change.ts";
import { etcdClusterSpec } from "./etcd-cluster-spec.ts";
import { etcdClusterStatus } from "./etcd-cluster-status.ts";
import { metadata } from "./metadata.ts";
import { clusterForgesNoMore, newClusterForgesNothing } from "./reserved-keys.ts";
import { type ChangeRule, withRules } from "./schema/rule.ts";

const shape = z.object({
  apiVersion: z.string().optional(),
  kind: z.string().optional(),
  metadata,
  spec: etcdClusterSpec.describe("Desired state of the cluster."),
  status: etcdClusterStatus.optional().describe("Observed state of the cluster."),
});

export type EtcdCluster = z.output<typeof shape>;
/** @public */
export type EtcdClusterSpec = EtcdCluster["spec"];
/** @public */
export type EtcdClusterStatus = z.output<typeof etcdClusterStatus>;

// coreos/etcd-operator truncated long names, so clusters that already have a status keep theirs.
const name = clusterNameRule<EtcdCluster>("self.metadata.name", (cluster) => cluster.metadata.name, "has(self.status)");
const nameOfNewCluster = { ...name, holds: (cluster: EtcdCluster) => Boolean(cluster.status) || name.holds(cluster) };

const VERSION_FORMAT = `r'${ETCD_VERSION_FORMAT}'`;
/** Two spellings of one version are no change; none at all is empty. */
const read = (spec: string) => `(has(${spec}.version) ? ${spec}.version.replace('v', '') : '')`;
const DESIRED = read("self.spec");
const part = (version: string, index: number) => `int(${version}.replace('v', '').split('.')[${index}])`;

/** A changed version is at most one minor away from the running one: a typo can be corrected and a rollout reverted. */
const versionGoesStepByStep: ChangeRule = {
  cel: `${DESIRED} == ${read("oldSelf.spec")} || !has(self.status) || !has(self.status.currentVersion) ||
    !self.status.currentVersion.matches(${VERSION_FORMAT}) || !${DESIRED}.matches(${VERSION_FORMAT}) ||
    ${part(DESIRED, 0)} == ${part("self.status.currentVersion", 0)} &&
    ${part(DESIRED, 1)} <= ${part("self.status.currentVersion", 1)} + 1 &&
    ${part(DESIRED, 1)} >= ${part("self.status.currentVersion", 1)} - 1`,
  message:
    "spec.version {}: etcd moves one minor at a time, forward or back; choose a version of the same or an adjacent minor",
  offender: {
    cel: `"'" + self.spec.version + "' is more than one minor from the running '" + self.status.currentVersion + "'"`,
  },
};

export const etcdCluster = withRules(
  shape,
  [nameOfNewCluster, ...newClusterForgesNothing],
  [versionGoesStepByStep, tlsStays, domainStays, storageDoesNotShrink, ...clusterForgesNoMore],
);
