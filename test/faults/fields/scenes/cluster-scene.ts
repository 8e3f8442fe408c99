import { resources } from "@etcd-operator/kubernetes-client";
import type { Condition } from "@etcd-operator/operator/api/condition.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { endState } from "../../checks/end-state.ts";
import { CLUSTER, type Stage } from "../../workloads/stage.ts";
import { lacksAvailability } from "../availability.ts";
import { CLUSTER_SPEC, clusterEntries } from "../entries/cluster-entries.ts";
import { createNeeds } from "./needs.ts";
import type { Scene } from "./scene.ts";

/**
 * A cluster on volumes. In trouble it has three members, of which a majority serves whatever is wrong with the spec.
 */
export const clusterScene: Scene = {
  resource: ownResources.etcdClusters,
  name: CLUSTER,
  spec: CLUSTER_SPEC,
  specInTrouble: { ...CLUSTER_SPEC, size: 3 },
  entries: clusterEntries,
  troubles: [
    { name: "no-such-image", path: "repository", value: "registry.invalid/etcd", says: /image/i },
    { name: "no-such-version", path: "version", value: "3.5.99", says: /image/i },
    { name: "no-such-node", path: "pod.nodeSelector", value: { disk: "none" }, says: /node/ },
    { name: "too-much", path: "pod.resources", value: { requests: { cpu: "1000" } }, says: /node/ },
    {
      name: "no-such-secret",
      path: "pod.etcdEnv",
      value: [{ name: "A", valueFrom: { secretKeyRef: { name: "none-such", key: "a" } } }],
      says: /secret/i,
    },
    { name: "no-user", path: "pod.securityContext", value: { runAsUser: -1 }, says: /securityContext/ },
  ],
  async prepare(stage, spec) {
    await createNeeds(stage);
    await stage.create(ownResources.etcdClusters, CLUSTER, { spec });
    await stage.settled();
  },
  unsettled: (stage) => stage.unsettled(),
  told: ({ cluster }) => (cluster?.status?.conditions ?? []).filter(isComplaint).map(({ message = "" }) => message),
  picture: pictureOf,
  harm: ({ cluster, objects }) =>
    lacksAvailability(
      cluster,
      objects.of(resources.secrets).map(({ metadata }) => metadata.name),
    ),
};

function isComplaint({ type, status }: Condition): boolean {
  return type !== "Available" && status === "True";
}

/** Whether a member bootstrapped the cluster or joined it, and what it went through since, is its own affair. */
const PASSING =
  /--(initial-cluster|listen-metrics)|GUARD_START|\.status\.(logMark|databaseSize|memberStatus\[[^\]]*\]\.(databaseSizeBytes|since))|annotations\.etcd\.database\.coreos\.com/;
/** Flags may come in any order. */
const ORDER = /(\.command\[)\d+\]/;

function pictureOf({ objects }: Stage): readonly string[] {
  return endState(objects)
    .filter((line) => !PASSING.test(line))
    .map((line) => line.replace(ORDER, "$1]"))
    .sort();
}
