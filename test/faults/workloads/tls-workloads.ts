import { resources } from "@etcd-operator/kubernetes-client";
import { TLS_ROLES } from "@etcd-operator/operator/cluster/tls/secret-roles.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { NAMESPACE } from "../world/world.ts";
import { type Rotation, rotation, type Secrets, secretName, TLS } from "./certificates.ts";
import type { Stage } from "./stage.ts";
import type { Workload } from "./workload.ts";

/** The operator looks once a minute. */
const NOTICED_MS = 75_000;

/** What users do with certificates. */
export const tlsWorkloads: readonly Workload[] = [
  {
    name: "tls-rotation",
    prepare: async (stage) => {
      await withCertificates(stage, "trustingBoth");
      await stage.createCluster({ TLS, bootstrap: { mode: "Parallel" }, pod: { persistentVolumeClaimSpec: A_CLAIM } });
      await stage.settled();
    },
    // The second half of what docs/operations/tls.md says. In the first, all members begin to trust both, which takes
    // the same roll as this.
    act: async (stage) => {
      const { ofTheOther, trustingTheOther } = await rotation();
      await put(stage, ofTheOther);
      await stage.time.pass(NOTICED_MS);
      await put(stage, trustingTheOther);
    },
    missing: notRolled,
  },
];

/** The Secrets that a cluster with TLS needs, as they are at some step. */
export async function withCertificates(stage: Stage, step: keyof Rotation = "first"): Promise<void> {
  const secrets = (await rotation())[step];
  for (const role of TLS_ROLES) await stage.create(resources.secrets, secretName(role), { data: secrets[role] });
}

async function put({ user }: Stage, secrets: Secrets): Promise<void> {
  for (const role of TLS_ROLES) {
    const ref = { namespace: NAMESPACE, name: secretName(role) };
    await user.patch(resources.secrets, ref, { merge: { data: secrets[role] } });
  }
}

/** A member that was made before the last change of the Secrets does not trust the new ones. */
function notRolled(stage: Stage): readonly string[] {
  const { events } = stage.objects;
  const changed = events.findLast(({ plural, kind }) => plural === "secrets" && kind === "changed")?.revision ?? 0n;
  const made = new Map(
    events
      .filter(({ plural, kind }) => plural === "pods" && kind === "created")
      .map(({ name, revision }) => [name, revision] as const),
  );
  const behind = stage.memberPods.filter(({ metadata }) => (made.get(metadata.name) ?? 0n) < changed);
  return [...behind.map(({ metadata }) => `${metadata.name} has not been restarted`), ...stage.unsettled()];
}
