import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../../../src/kubernetes/kube-object.ts";
import { rfc3339 } from "../../../src/kubernetes/kube-time.ts";
import { resources } from "../../../src/kubernetes/resources.ts";
import type { KubeClient } from "../../../src/kubernetes/rest-client.ts";
import { until } from "../kube/until.ts";

/** For tests of controllers: the pods of a namespace, and what a kubelet would write about them. */
export class PretendedKubelet {
  readonly #client: KubeClient;
  readonly #namespace: string;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  async pods(labelSelector?: string): Promise<Stored<Pod>[]> {
    const { items } = await this.#client.list(resources.pods, { namespace: this.#namespace, labelSelector });
    return items;
  }

  /** Waits for a number of pods that are not on their way out. */
  async staying(count: number, labelSelector?: string): Promise<Stored<Pod>[]> {
    const look = async () => {
      const pods = (await this.pods(labelSelector)).filter(({ metadata }) => !metadata.deletionTimestamp);
      return pods.length === count ? pods : undefined;
    };
    return until(look, { what: `${count} pods`, everyMs: 5, timeoutMs: 10_000 });
  }

  async makeReady(pods: readonly Stored<Pod>[]): Promise<void> {
    for (const { metadata } of pods) await this.#setStatus(metadata.name, "Running", "True");
  }

  async finish(pod: Stored<Pod>, phase: "Succeeded" | "Failed"): Promise<void> {
    await this.#setStatus(pod.metadata.name, phase, "False");
  }

  /** Ends what is on its way out: there is no kubelet that would. */
  async bury(): Promise<void> {
    for (const { metadata } of await this.pods()) {
      if (!metadata.deletionTimestamp) continue;
      const { namespace, name } = metadata;
      await this.#client.delete(resources.pods, { namespace, name }, { gracePeriodSeconds: 0 }).catch(() => undefined);
    }
  }

  async #setStatus(name: string, phase: string, ready: "True" | "False"): Promise<void> {
    const lastTransitionTime = rfc3339(Date.now());
    const conditions = [{ type: "Ready", status: ready, lastTransitionTime }];
    const status = { phase, conditions };
    await this.#client.patchStatus(resources.pods, { namespace: this.#namespace, name }, { strategic: { status } });
  }
}
