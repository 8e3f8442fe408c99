import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { TLS } from "./certificates.ts";
import { LIMIT_MS } from "./limit.ts";
import type { Stage } from "./stage.ts";
import { withCertificates } from "./tls-workloads.ts";
import type { Workload } from "./workload.ts";

const nothing = async () => undefined;
const unsettled = (stage: Stage) => stage.unsettled();

function withCluster(spec: object = {}): Workload["prepare"] {
  return async (stage) => {
    await stage.createCluster(spec);
    await stage.settled();
  };
}

/** Made with a volume each. */
const ON_CLAIMS = { pod: { persistentVolumeClaimSpec: A_CLAIM } };

/** What users do to clusters. */
export const clusterWorkloads: readonly Workload[] = [
  { name: "create", prepare: nothing, act: (stage) => stage.createCluster(), missing: unsettled },
  {
    // With TLS, which none of them may ever be without; the version as old YAML has it.
    name: "create-parallel",
    prepare: (stage) => withCertificates(stage),
    act: (stage) => stage.createCluster({ TLS, version: "v3.5.16", bootstrap: { mode: "Parallel" }, ...ON_CLAIMS }),
    missing: unsettled,
  },
  {
    name: "scale-up",
    prepare: withCluster({ size: 1 }),
    act: (stage) => stage.changeCluster({ size: 3 }),
    missing: unsettled,
  },
  {
    name: "scale-down",
    prepare: withCluster({ size: 5, bootstrap: { mode: "Parallel" }, ...ON_CLAIMS }),
    act: (stage) => stage.changeCluster({ size: 3 }),
    missing: unsettled,
  },
  {
    name: "replace",
    prepare: withCluster({ bootstrap: { mode: "Parallel" } }),
    act: (stage) => stage.losePod(0),
    missing: unsettled,
  },
  {
    name: "pvc-pod-lost",
    prepare: withCluster({ bootstrap: { mode: "Parallel" }, ...ON_CLAIMS }),
    act: (stage) => stage.losePod(1),
    missing: unsettled,
  },
  {
    // Held by pvc-protection for as long as the pod uses it.
    name: "claim-deleted",
    prepare: withCluster({ bootstrap: { mode: "Parallel" }, ...ON_CLAIMS }),
    act: (stage) => stage.deleteClaim(1),
    missing: (stage) => [...stage.unsettled(), ...onClaimsGoing(stage)],
  },
  {
    name: "upgrade",
    prepare: withCluster({ bootstrap: { mode: "Parallel" } }),
    act: (stage) => stage.changeCluster({ version: "3.5.21" }),
    missing: (stage) => [...stage.unsettled(), ...olderThan(stage, "3.5.21")],
  },
  {
    // Of two, since each is replaced in the same way, and neither can be spared.
    name: "pod-edit",
    prepare: withCluster({ size: 2, bootstrap: { mode: "Parallel" } }),
    act: (stage) => stage.changeCluster({ pod: { resources: { requests: { cpu: "50m" } } } }),
    missing: (stage) => [...stage.unsettled(), ...withoutRequest(stage)],
  },
  {
    // Takes no write of the operator, for its objects are deleted with the cluster: this is for operators that see it
    // late.
    name: "delete",
    prepare: withCluster({ bootstrap: { mode: "Parallel" }, ...ON_CLAIMS }),
    act: (stage) => stage.deleteCluster(),
    missing: undeleted,
  },
  {
    name: "delete-half-made",
    prepare: nothing,
    act: async (stage) => {
      await stage.createCluster(ON_CLAIMS);
      await stage.time.until(() => stage.memberPods.length > 1, LIMIT_MS);
      await stage.deleteCluster();
    },
    missing: undeleted,
  },
  {
    // With the volumes that it left; a size and a version of its own it gets afterwards.
    name: "delete-and-reapply",
    prepare: withCluster({ bootstrap: { mode: "Parallel" }, ...ON_CLAIMS }),
    act: async (stage) => {
      await stage.deleteCluster();
      await stage.time.until(() => stage.cluster === undefined, LIMIT_MS);
      await stage.createCluster(ON_CLAIMS);
    },
    missing: (stage) => [...stage.unsettled(), ...founded(stage)],
  },
  {
    // Its members run on, and nothing of them may be disturbed.
    name: "orphan-and-reapply",
    prepare: withCluster({ bootstrap: { mode: "Parallel" }, ...ON_CLAIMS }),
    act: async (stage) => {
      await stage.deleteCluster({ propagationPolicy: "Orphan" });
      await stage.time.until(() => stage.cluster === undefined, LIMIT_MS);
      await stage.createCluster(ON_CLAIMS);
    },
    missing: (stage) => [...stage.unsettled(), ...founded(stage)],
  },
  {
    name: "delete-and-recreate",
    prepare: withCluster({ bootstrap: { mode: "Parallel" } }),
    act: async (stage) => {
      await stage.deleteCluster();
      await stage.time.until(() => stage.cluster === undefined, 600_000);
      await stage.createCluster({ size: 2 });
    },
    missing: unsettled,
  },
];

/** Of the data that there was, nothing is in another cluster. */
function founded({ cluster }: Stage): readonly string[] {
  return cluster?.status?.reattachedFrom === undefined ? ["the cluster does not continue the deleted one"] : [];
}

function onClaimsGoing(stage: Stage): readonly string[] {
  return stage.claimsGoing.map((name) => `${name} still runs on a claim that is being deleted`);
}

function undeleted(stage: Stage): readonly string[] {
  return [...(stage.cluster ? ["the cluster is still there"] : []), ...podsLeft(stage)];
}

function olderThan(stage: Stage, version: string): readonly string[] {
  return stage.memberPods
    .filter(({ spec }) => !spec?.containers.some(({ image }) => image?.endsWith(`:v${version}`)))
    .map(({ metadata }) => `${metadata.name} does not run ${version}`);
}

function withoutRequest(stage: Stage): readonly string[] {
  return stage.memberPods
    .filter(({ spec }) => !spec?.containers.some(({ resources }) => resources?.requests?.cpu === "50m"))
    .map(({ metadata }) => `${metadata.name} does not ask for its share`);
}

function podsLeft(stage: Stage): readonly string[] {
  return stage.memberPods.map(({ metadata }) => `${metadata.name} is still there`);
}
