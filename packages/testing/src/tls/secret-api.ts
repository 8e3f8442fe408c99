import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { KubernetesError, type KubernetesErrorCode, keyOf, type ObjectRef } from "@etcd-operator/kubernetes-client";
import type { Secret } from "kubernetes-types/core/v1.d.ts";

/** For tests: an API server with Secrets, or with trouble. */
export class SecretApi {
  readonly answers = new Map<string, Secret | KubernetesErrorCode>();
  readonly asked: string[] = [];

  get client(): Pick<KubeClient, "get"> {
    const get = async (_: unknown, ref: ObjectRef) => {
      this.asked.push(keyOf(ref));
      const answer = this.answers.get(keyOf(ref)) ?? "not-found";
      if (typeof answer !== "string") return answer;
      throw new KubernetesError(answer, { operation: "GET", message: answer });
    };
    return { get: get as KubeClient["get"] };
  }
}
