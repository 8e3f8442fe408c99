import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { transferSecretName } from "../../transfer/names.ts";
import type { Source } from "./kubernetes-source.ts";
import { ownAnnotations } from "./own-annotations.ts";
import { stageOf } from "./pod-seen.ts";

/**
 * The UIDs of pods that wait for a snapshot, and for the Secret without which it cannot be sent: the operator died
 * between the two.
 */
export async function podsWithoutSecret(
  pods: readonly Stored<Pod>[],
  source: Pick<Source, "secret">,
): Promise<ReadonlySet<string>> {
  const waiting = pods.filter((pod) => {
    const { restoreUid, memberId } = ownAnnotations(pod);
    return restoreUid !== undefined && memberId === undefined && stageOf(pod) === "pending";
  });
  const secrets = await Promise.all(waiting.map(({ metadata }) => source.secret(transferSecretName(metadata.name))));
  return new Set(waiting.flatMap(({ metadata }, index) => (secrets[index] ? [] : [metadata.uid])));
}
