import type { EndpointTls } from "@etcd-operator/etcd-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { TLS_KEYS, TLS_ROLES } from "@etcd-operator/operator/cluster/tls/secret-roles.ts";
import { rotation, type Secrets, secretName, TLS } from "../workloads/certificates.ts";
import type { Ground } from "./ground.ts";
import { ON_CLAIMS } from "./whole-workloads.ts";
import type { RealWorkload } from "./workload.ts";

/** From then on members are to trust another authority, too, for which each of them has to start again. */
export const tlsWorkload: RealWorkload = {
  name: "tls-rotation",
  ground: "tls",
  prepare: async (ground) => {
    const { first } = await rotation(ground.namespace);
    await ground.emptied();
    for (const role of TLS_ROLES) await ground.create(resources.secrets, secretName(role), { data: first[role] });
    ground.cluster.tls = tlsOf(first);
    await ground.withCluster(() => ground.createCluster({ size: 1, TLS, ...ON_CLAIMS }));
  },
  act: async (ground) => {
    const { trustingBoth } = await rotation(ground.namespace);
    for (const role of TLS_ROLES) {
      await ground.patch(resources.secrets, secretName(role), { data: trustingBoth[role] });
    }
    // One that runs looks once a minute, a new one at once.
    await ground.operators.renew();
  },
  missing: async (ground) => [...notRestarted(ground), ...(await ground.unsettled())],
  writes: [
    ...["intents-1", "add-member-1", "post-persistentvolumeclaims-1", "post-pods-1", "patch-persistentvolumeclaims-1"],
    ...["patch-pods-1", "promote-member-1", "intents-2", "patch-pods-status-1", "patch-poddisruptionbudgets-1"],
    ...["move-leader-1", "remove-member-1", "delete-pods-1", "delete-persistentvolumeclaims-1"],
  ],
  maySend: ["word-1"],
};

function tlsOf({ operator }: Secrets): EndpointTls {
  const file = (kind: "ca" | "certificate" | "key") => Buffer.from(operator[TLS_KEYS.operator[kind]] ?? "", "base64");
  return { ca: file("ca"), cert: file("certificate"), key: file("key") };
}

/** A member that was made before the last change of the Secrets does not trust the new ones. */
function notRestarted({ objects, pods }: Ground): readonly string[] {
  const newest = (plural: string, kind: string, name?: string) =>
    objects.events.findLast(
      (event) => event.plural === plural && event.kind === kind && event.name === (name ?? event.name),
    )?.revision ?? 0n;
  const changed = newest("secrets", "changed");
  return pods
    .map(({ metadata }) => metadata.name)
    .filter((name) => newest("pods", "created", name) < changed)
    .map((name) => `${name} has not been restarted`);
}
