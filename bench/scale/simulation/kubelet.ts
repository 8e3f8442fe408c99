import type { KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, pathOf, resources } from "@etcd-operator/kubernetes-client";
import { Reflector } from "@etcd-operator/kubernetes-client/watch/reflector.ts";
import type { Pod, PodStatus } from "kubernetes-types/core/v1.d.ts";
import { addressOf, clusterName, clusterOf, NAMESPACE } from "../fleet-names.ts";
import type { Members } from "./members.ts";
import { runningStatus } from "./running-status.ts";

const NODE = "node-1";

/** Scheduler and kubelet of a node whose pods run at once and never fail; the members in them are simulated. */
export class Kubelet {
  readonly #client: KubeClient;
  readonly #members: Members;
  readonly #reflector: Reflector<Pod>;
  /** Where the pods of the original are; those of its copies are written as they are, with an address. */
  readonly #own = new Map<string, string>();

  constructor(client: KubeClient, members: Members, onError: (error: unknown) => void) {
    this.#client = client;
    this.#members = members;
    const see = (pod: Stored<Pod>) => void this.#see(pod).catch(onError);
    const sink = {
      replace: (pods: readonly Stored<Pod>[]) => pods.forEach(see),
      apply: (event: Parameters<ConstructorParameters<typeof Reflector<Pod>>[1]["apply"]>[0]) => {
        if (event.type === "DELETED") this.#forget(event.object.metadata.name);
        else if (event.type !== "BOOKMARK") see(event.object);
      },
    };
    const selection = { namespace: NAMESPACE, labelSelector: "app=etcd" };
    this.#reflector = new Reflector<Pod>({ client, resource: resources.pods, ...selection, onError }, sink);
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#reflector.run(signal);
  }

  async #see(pod: Stored<Pod>): Promise<void> {
    const { name, deletionTimestamp } = pod.metadata;
    const { podIP } = pod.status ?? {};
    if (podIP) this.#members.add(name, podIP);
    if (clusterOf(`/${name}`) !== clusterName(0)) return;
    if (deletionTimestamp) await this.#remove(pod);
    else if (pod.spec?.nodeName) await this.#report(pod);
    else await this.#bind(pod);
  }

  async #bind({ metadata }: Stored<Pod>): Promise<void> {
    const { namespace, name } = metadata;
    const path = pathOf(resources.pods, { namespace, name, subresource: "binding" });
    const binding = { apiVersion: "v1", kind: "Binding", metadata: { name }, target: { kind: "Node", name: NODE } };
    await this.#client.request("POST", path, { body: binding });
  }

  async #report(pod: Stored<Pod>): Promise<void> {
    const status = runningStatus(pod, this.#addressFor(pod.metadata.name), Date.now());
    if (isSame(status, pod.status)) return;
    try {
      await this.#client.updateStatus(resources.pods, { ...pod, status });
    } catch (error) {
      // Another client wrote in between, and an event of that is on its way.
      if (!hasCode(error, "conflict", "not-found")) throw error;
    }
  }

  async #remove({ metadata }: Stored<Pod>): Promise<void> {
    const { namespace, name } = metadata;
    await this.#client.delete(resources.pods, { namespace, name }, { gracePeriodSeconds: 0 }).catch(() => undefined);
  }

  #addressFor(name: string): string {
    const known = this.#own.get(name);
    if (known) return known;
    const address = addressOf(0, this.#own.size);
    this.#own.set(name, address);
    return address;
  }

  #forget(name: string): void {
    this.#members.remove(name);
  }
}

function isSame(a: PodStatus, b: PodStatus | undefined): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
