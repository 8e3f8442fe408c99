import type { Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, KubernetesError, randomSuffix, resources } from "@etcd-operator/kubernetes-client";
import type { ObjectStore } from "@etcd-operator/object-store";
import { ObjectStoreError } from "@etcd-operator/object-store";
import type { PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.d.ts";
import type { TakeDirectly } from "../direct/take-directly.ts";
import { removeAbandonedWorkers, useWorker } from "../pods/abandoned-workers.ts";
import { awaitWorker } from "../pods/await-worker.ts";
import { removePod } from "../pods/owned-pods.ts";
import { podNameFor } from "../pods/pod-name.ts";
import { podPolicyFor } from "../pods/pod-policy-for.ts";
import { workerPod } from "../pods/worker-pod.ts";
import type { BackupStoreDeps, BackupStoreRequest } from "../store/open-backup-store.ts";
import { storeFailure } from "../store/store-failure.ts";
import { endpointOf, makeTransferSecret } from "../trust/transfer-secret.ts";
import { overTheNetwork, type WorkerReach } from "../worker-reach.ts";
import { type FreeClaim, freeClaim, type Waiting } from "./free-claim.ts";
import { memberOn } from "./member-claim.ts";

export interface VolumeRequest extends BackupStoreRequest {
  readonly claimName: string;
}

export interface OpenVolume {
  readonly store: ObjectStore;
  readonly takeDirectly: TakeDirectly;
  close(): Promise<void>;
}

/** Starts a worker pod for a claim; `close` ends it. A worker whose operator died is removed the next time. */
export async function openVolume(
  deps: BackupStoreDeps,
  request: VolumeRequest,
  signal: AbortSignal,
  reach: WorkerReach = overTheNetwork,
): Promise<OpenVolume> {
  const operation = `open volume '${request.claimName}'`;
  try {
    const claim = await needClaim(deps, request, operation, signal);
    await removeAbandonedWorkers(deps.client, { namespace: request.namespace, uid: request.owner.uid }, signal);
    const { nodeName, leave } = await freeClaim(deps, claim, request.waiting ?? atOnce, signal);
    return await openWorker({ ...deps, reach }, { ...request, nodeName, leave }, signal);
  } catch (error) {
    throw error instanceof KubernetesError ? storeFailure(operation, error) : error;
  }
}

const atOnce: Waiting = (_, wait) => wait();

type TurnRequest = VolumeRequest & FreeClaim;
type WorkerDeps = BackupStoreDeps & { readonly reach: WorkerReach };

async function openWorker(deps: WorkerDeps, request: TurnRequest, signal: AbortSignal): Promise<OpenVolume> {
  const name = podNameFor(request.owner.name, "worker", randomSuffix(deps.random));
  const forget = useWorker(request.namespace, name);
  const release = () => {
    forget();
    request.leave();
  };
  try {
    const pod = await makePod(deps, request, name, signal);
    const end = async () => {
      // Also when everything else is being cancelled, and without reporting errors: it is deleted with its owner.
      await removePod(deps.client, pod).catch(() => undefined);
      release();
    };
    return await openPod(deps, request, { pod, end }, signal).catch(async (error: unknown) => {
      await end();
      throw error;
    });
  } catch (error) {
    release();
    throw error;
  }
}

async function openPod(
  { reach, ...deps }: WorkerDeps,
  { claimName }: VolumeRequest,
  { pod, end }: { readonly pod: Stored<Pod>; readonly end: () => Promise<void> },
  signal: AbortSignal,
): Promise<OpenVolume> {
  const secret = await makeTransferSecret(pod);
  await deps.client.create(resources.secrets, secret, { signal });
  const waiting = { ...deps, answers: reach.answers };
  const endpoint = await awaitWorker(waiting, pod, (podIp) => endpointOf(secret, podIp), signal);
  const opened = await reach.open(claimName, endpoint, deps.clock);
  return {
    ...opened,
    async close() {
      await opened.close();
      await end();
    },
  };
}

/**
 * A claim that is missing would keep the pod waiting for ever; one that holds a member's data would have it replaced by
 * a snapshot.
 */
async function needClaim(
  { client }: BackupStoreDeps,
  request: VolumeRequest,
  operation: string,
  signal: AbortSignal,
): Promise<Stored<PersistentVolumeClaim>> {
  const { namespace, claimName: name } = request;
  try {
    const claim = await client.get(resources.persistentVolumeClaims, { namespace, name }, { signal });
    const member = await memberOn(client, claim, signal);
    if (member === undefined) return claim;
    const message = `PersistentVolumeClaim '${namespace}/${name}' holds the data of ${member}, which a backup could overwrite: set volume.claimName to a separate PVC`;
    throw new ObjectStoreError("invalid", { operation, message });
  } catch (cause) {
    if (!hasCode(cause, "not-found")) throw cause;
    const message = `PersistentVolumeClaim '${namespace}/${name}' does not exist: create it, or correct volume.claimName`;
    throw new ObjectStoreError("no-such-bucket", { operation, message, cause });
  }
}

async function makePod(
  deps: BackupStoreDeps,
  request: TurnRequest,
  name: string,
  signal: AbortSignal,
): Promise<Stored<Pod>> {
  const { namespace, owner, claimName, nodeName } = request;
  const { apiVersion, kind, name: ownerName, uid } = owner;
  const reference = { apiVersion, kind, name: ownerName, uid, controller: true };
  const { image, imagePullSecrets } = deps;
  const policy = await podPolicyFor(deps, request, signal);
  const place = { namespace, name, owner: reference, claimName, nodeName };
  const pod = workerPod({ ...place, image, imagePullSecrets, policy });
  return deps.client.create(resources.pods, pod, { signal });
}
