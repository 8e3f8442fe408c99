import { resources } from "@etcd-operator/kubernetes-client";
import {
  RESTORE_UID_ANNOTATION,
  type RestoreRequest,
  restoreRequestOf,
} from "@etcd-operator/operator/api/restore-request.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import type { RestoreState } from "@etcd-operator/operator/restore/situation.ts";
import { makeTransferSecret } from "@etcd-operator/operator/transfer/trust/transfer-secret.ts";
import type { ContainerState, ContainerStatus } from "kubernetes-types/core/v1.d.ts";
import { until } from "../until.ts";
import type { RestoreWorld } from "./restore-world.ts";

export const RUNNING = { running: { startedAt: "2030-01-01T00:00:00Z" } };
export const SUCCEEDED = { terminated: { exitCode: 0 } };

/**
 * Plays the controller of EtcdClusters, as far as a restore has to do with it: answers requests, one state after the
 * other.
 */
export class ClusterStandIn {
  readonly #world: RestoreWorld;

  constructor(world: RestoreWorld) {
    this.#world = world;
  }

  /** Waits for a request that it has not answered yet. */
  async request(holds: (request: RestoreRequest) => boolean = () => true): Promise<RestoreRequest> {
    return until(
      async () => {
        const request = restoreRequestOf((await this.#world.cluster()).metadata);
        return request && holds(request) && request;
      },
      { what: "a request on the EtcdCluster", timeoutMs: 20_000 },
    );
  }

  /** Says how far it has got. */
  async says(request: RestoreRequest, state: RestoreState, more: object = {}): Promise<void> {
    const { client, namespace } = this.#world;
    const restore = { name: request.name, uid: request.uid, state, incarnation: 2, revision: request.revision };
    await client.patchStatus(
      ownResources.etcdClusters,
      { namespace, name: "example" },
      { merge: { status: { restore, ...more } } },
    );
  }

  /** Makes the pod of the first member and its Secret; its first container waits for the snapshot. */
  async startsSeed(request: RestoreRequest, name = "example-seed", receive: ContainerState = RUNNING): Promise<void> {
    const { client, namespace } = this.#world;
    await this.#world.createMember(await this.#world.cluster(), name, { [RESTORE_UID_ANNOTATION]: request.uid });
    const pod = await client.get(resources.pods, { namespace, name });
    await client.create(resources.secrets, await makeTransferSecret(pod));
    await this.containers({ receive }, name);
  }

  async containers(states: Readonly<Record<string, ContainerState | ContainerStatus>>, name = "example-seed") {
    const { client, namespace } = this.#world;
    const initContainerStatuses = Object.entries(states).map(([container, state]) => ({
      name: container,
      restartCount: 0,
      ready: false,
      image: "i",
      imageID: "i",
      ...("restartCount" in state ? state : { state }),
    }));
    await client.patchStatus(resources.pods, { namespace, name }, { merge: { status: { initContainerStatuses } } });
  }

  /** All the way from a request to a cluster that is complete. */
  async restores(request: RestoreRequest): Promise<void> {
    await this.says(request, "Fencing");
    await this.says(request, "Restoring", { clusterID: null });
    await this.startsSeed(request);
    await until(() => this.#world.pushed.length > 0, { what: "the snapshot to be sent" });
    await this.containers({ receive: SUCCEEDED, restore: SUCCEEDED });
    await this.says(request, "Joining");
    await this.says(request, "Done");
  }
}
