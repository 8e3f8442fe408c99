import type { Clock, KubeClient } from "@etcd-operator/kubernetes-client";
import type { ObjectStore } from "@etcd-operator/object-store";
import { openStore } from "@etcd-operator/object-store";
import type { LocalObjectReference } from "kubernetes-types/core/v1.d.ts";
import type { OwnerReference } from "kubernetes-types/meta/v1.d.ts";
import type { TakeDirectly } from "../direct/take-directly.ts";
import type { ClusterNamed } from "../pods/pod-policy-for.ts";
import type { Trust } from "../trust/trust.ts";
import type { ClaimTurns } from "../volume/claim-turns.ts";
import type { Waiting } from "../volume/free-claim.ts";
import { openVolume } from "../volume/open-volume.ts";
import { cloudSettings } from "./cloud-settings.ts";
import { pacedDirectly, pacedStore } from "./paced-store.ts";
import { pathIn, type StoreSpec, storeBlockOf } from "./store-block.ts";

export interface BackupStoreDeps {
  readonly client: Pick<KubeClient, "get" | "list" | "create" | "delete">;
  readonly trust: Trust;
  readonly clock: Clock;
  readonly random: () => number;
  /** Shared with all others in this process that open volumes. */
  readonly claimTurns: ClaimTurns;
  /** Our own image, for the worker of a volume. */
  readonly image: string;
  /** For that image; those of the cluster in question come on top. */
  readonly imagePullSecrets?: readonly LocalObjectReference[] | undefined;
}

export interface BackupStoreRequest {
  readonly namespace: string;
  /** The object that the store is opened for; a worker pod belongs to it. */
  readonly owner: Pick<OwnerReference, "apiVersion" | "kind" | "name" | "uid">;
  readonly spec: StoreSpec & ClusterNamed;
  /** Reports what is waited for that others use. */
  readonly waiting?: Waiting | undefined;
}

export interface OpenBackupStore {
  readonly store: ObjectStore;
  /** Where the store's own end can get a snapshot itself. */
  readonly takeDirectly?: TakeDirectly;
  /** The key that the spec names, without its bucket. */
  readonly key: string;
  /** What a status calls a key: `<bucket>/<key>`, or the file inside the volume. */
  pathOf(key: string): string;
  /** Closes the store, and ends its worker pod where it has one. Does not throw. */
  close(): Promise<void>;
}

/**
 * Opens the store of a spec: reads its Secret, or starts a worker pod for a volume and waits until it answers. What is
 * wrong comes as an ObjectStoreError that says what to do.
 */
export async function openBackupStore(
  deps: BackupStoreDeps,
  request: BackupStoreRequest,
  signal: AbortSignal,
): Promise<OpenBackupStore> {
  const block = storeBlockOf(request.spec);
  const { key } = block;
  const pathOf = (other: string) => pathIn(block, other);
  if (block.type === "Volume") {
    const opened = await openVolume(deps, { ...request, claimName: block.block.claimName }, signal);
    const takeDirectly = pacedDirectly(opened.takeDirectly, deps.clock);
    return { ...opened, store: pacedStore(opened.store, deps.clock), takeDirectly, key, pathOf };
  }
  const opened = await openStore(await cloudSettings(deps, request.namespace, block, signal));
  const store = pacedStore(opened, deps.clock);
  return { store, key, pathOf, close: () => store.close().catch(() => undefined) };
}
