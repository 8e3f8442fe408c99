import {
  type DeleteOptions,
  type KubeClient,
  type KubeObject,
  KubernetesError,
  type KubernetesErrorCode,
  type ObjectRef,
  type Patch,
  type Resource,
  type Stored,
  type WriteOptions,
} from "@etcd-operator/kubernetes-client";
import { mergePatch } from "@etcd-operator/local-kubernetes/apiserver/patch/merge-patch.ts";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { VOTER_CONDITION } from "@etcd-operator/operator/cluster/objects/annotations.ts";
import type { PersistentVolumeClaim, Pod as PodObject } from "kubernetes-types/core/v1.d.ts";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.d.ts";
import { runningLog } from "./etcd-model.ts";
import type { Hand } from "./hand.ts";
import { deleteClaim, deletePod } from "./kubelet-model.ts";
import { takeClaim, takePod, writtenOn, writtenOnClaim } from "./made-in-world.ts";
import { backupOf, claimObject, podObject, restoreOf } from "./objects-in-world.ts";
import { annotateCluster, type Claim, type Pod, type World } from "./world.ts";

type Api = Pick<KubeClient, "get" | "list" | "create" | "update" | "updateStatus" | "patch" | "patchStatus" | "delete">;

/**
 * The API server of the model, as far as actions use it. Reads are of the world that the hand observes, writes go to
 * the one that is.
 */
export class KubernetesInWorld implements Api {
  readonly #hand: Hand;

  constructor(hand: Hand) {
    this.#hand = hand;
  }

  async get<T extends KubeObject>(resource: Resource<T>, { name }: ObjectRef): Promise<Stored<T>> {
    const found = objectIn(this.#hand.seeing, resource, name);
    if (found) return found as Stored<T>;
    throw failure("not-found", resource, name);
  }

  async list<T extends KubeObject>(
    resource: Resource<T>,
  ): Promise<Awaited<ReturnType<typeof KubeClient.prototype.list<T>>>> {
    const { seeing } = this.#hand;
    const items = namesIn(seeing, resource).flatMap((name) => objectIn(seeing, resource, name) ?? []);
    return { items: items as Stored<T>[], resourceVersion: "1" } as Awaited<
      ReturnType<typeof KubeClient.prototype.list<T>>
    >;
  }

  async create<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<Stored<T>> {
    const name = object.metadata?.name ?? "";
    const { world } = this.#hand;
    if (options.dryRun) return object as unknown as Stored<T>;
    this.#hand.write(() => {
      if (isThere(world, resource, name)) throw failure("already-exists", resource, name);
      this.#make(resource, object);
    });
    return (objectIn(world, resource, name) ?? {
      ...object,
      metadata: { ...object.metadata, uid: "made" },
    }) as Stored<T>;
  }

  async patch<T extends KubeObject>(resource: Resource<T>, { name }: ObjectRef, patch: Patch): Promise<Stored<T>> {
    const { world } = this.#hand;
    this.#hand.write(() => {
      const found = objectIn(world, resource, name);
      if (!found) throw failure("not-found", resource, name);
      const changes = changesIn(patch);
      checkPreconditions(resource, found, changes.metadata ?? {});
      this.#change(resource, name, changed(found, changes));
    });
    return objectIn(world, resource, name) as Stored<T>;
  }

  /** Of a status, actions write only whether a pod is open to clients. */
  async patchStatus<T extends KubeObject>(
    resource: Resource<T>,
    { name }: ObjectRef,
    patch: Patch,
  ): Promise<Stored<T>> {
    const { world } = this.#hand;
    this.#hand.write(() => {
      const pod = world.pods.get(name);
      if (!pod) throw failure("not-found", resource, name);
      const { metadata = {}, status } = changesIn(patch) as Changes & PodObject;
      checkPreconditions(resource, podObject(world, pod), metadata);
      const gate = status?.conditions?.find(({ type }) => type === VOTER_CONDITION);
      pod.version += 1;
      if (pod.gate !== "absent") pod.gate = gate?.status === "True" ? "open" : "closed";
    });
    return objectIn(world, resource, name) as Stored<T>;
  }

  async delete<T extends KubeObject>(
    resource: Resource<T>,
    { name }: ObjectRef,
    { preconditions = {} }: DeleteOptions = {},
  ): Promise<Stored<T> | undefined> {
    const { world } = this.#hand;
    this.#hand.write(() => {
      const found = objectIn(world, resource, name);
      if (!found) throw failure("not-found", resource, name);
      checkPreconditions(resource, found, preconditions);
      const pod = world.pods.get(name);
      if (resource.kind !== "Pod") deleteClaim(world, name);
      else if (pod) {
        noteTakenDown(world, pod);
        deletePod(world, pod);
      }
    });
    return objectIn(world, resource, name) as Stored<T> | undefined;
  }

  async update<T extends KubeObject>(resource: Resource<T>): Promise<Stored<T>> {
    throw failure("forbidden", resource, "by an action");
  }

  async updateStatus<T extends KubeObject>(resource: Resource<T>): Promise<Stored<T>> {
    throw failure("forbidden", resource, "by an action");
  }

  #make(resource: Resource, object: KubeObject): void {
    const { world, isLate } = this.#hand;
    const name = object.metadata?.name ?? "";
    switch (resource.kind) {
      case "Pod":
        takePod(world, object as PodObject, isLate);
        return;
      case "PersistentVolumeClaim":
        takeClaim(world, object as PersistentVolumeClaim);
        return;
      case "Service":
        if (name.endsWith("-client")) world.hasClientService = true;
        else world.hasPeerService = true;
        return;
      case "PodDisruptionBudget":
        world.minAvailable = Number((object as PodDisruptionBudget).spec?.minAvailable);
        return;
      case "Secret":
        world.secrets.add(name);
        return;
      case "EtcdRestore":
        world.recoveries.add(name);
        return;
      default:
        throw failure("forbidden", resource, name);
    }
  }

  #change(resource: Resource, name: string, object: KubeObject): void {
    const { world } = this.#hand;
    const [pod, claim] = [world.pods.get(name), world.claims.get(name)];
    if (resource.kind === "EtcdCluster") annotateCluster(world, object.metadata?.annotations ?? {});
    else if (resource.kind === "PodDisruptionBudget") this.#make(resource, object);
    else if (resource.kind === "Pod" && pod) changePod(world, pod, object as PodObject);
    else if (resource.kind === "PersistentVolumeClaim" && claim) changeClaim(claim, object as PersistentVolumeClaim);
  }
}

function changePod(world: World, pod: Pod, object: PodObject): void {
  const before = pod.fencedImage;
  const written = writtenOn(object);
  if (written.image !== pod.image) noteTakenDown(world, pod);
  Object.assign(pod, written, { version: pod.version + 1 });
  if (before !== pod.fencedImage) Object.assign(pod, { isFenceSeen: false, trouble: undefined });
}

function changeClaim(claim: Claim, object: PersistentVolumeClaim): void {
  Object.assign(claim, writtenOnClaim(object), { version: claim.version + 1 });
}

/** Deleting the pod of a running member, or changing its image, stops the member. */
function noteTakenDown(world: World, pod: Pod): void {
  const log = runningLog(world, pod);
  if (log) world.takenDown.add(log.memberId);
}

function objectIn(world: World, { kind }: Resource, name: string): Stored | undefined {
  const [pod, claim] = [world.pods.get(name), world.claims.get(name)];
  switch (kind) {
    case "EtcdCluster":
      return name === world.cluster.metadata.name ? (world.cluster as Stored<EtcdCluster>) : undefined;
    case "Pod":
      return pod && podObject(world, pod);
    case "PersistentVolumeClaim":
      return claim && claimObject(world, claim);
    case "PodDisruptionBudget":
      return world.minAvailable === undefined ? undefined : written(kind, name);
    case "Secret":
      return world.secrets.has(name) ? written(kind, name) : undefined;
    case "EtcdBackup":
      return backupOf(world);
    case "EtcdRestore":
      return world.recoveries.has(name) ? restoreOf(world, name) : undefined;
    default:
      return undefined;
  }
}

/** Of these the model keeps only what it is about. */
function written(kind: string, name: string): Stored {
  const metadata = { name, uid: "uid", resourceVersion: "1", creationTimestamp: "2030-01-01T00:00:00Z" };
  return { apiVersion: "policy/v1", kind, metadata } as Stored;
}

function isThere(world: World, resource: Resource, name: string): boolean {
  switch (resource.kind) {
    case "Service":
      return name.endsWith("-client") ? world.hasClientService : world.hasPeerService;
    default:
      return objectIn(world, resource, name) !== undefined;
  }
}

function namesIn({ pods, claims }: World, { kind }: Resource): readonly string[] {
  if (kind === "Pod") return [...pods.keys()];
  return kind === "PersistentVolumeClaim" ? [...claims.keys()] : [];
}

type Identity = { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined };
type Changes = Readonly<Record<string, unknown>> & { readonly metadata?: Identity };

function changesIn(patch: Patch): Changes {
  if ("merge" in patch) return patch.merge as Changes;
  return ("strategic" in patch ? patch.strategic : {}) as Changes;
}

/** Of lists with names, the entries that are not named stay as they are; all else is merged. */
function changed(found: Stored, { spec, ...changes }: Changes): KubeObject {
  const { containers = [], ...rest } = (spec ?? {}) as NonNullable<PodObject["spec"]>;
  const merged = mergePatch(found, { ...changes, spec: rest }) as PodObject;
  if (containers.length === 0) return merged as KubeObject;
  const given = (name: string) => containers.find((container) => container.name === name);
  const all = merged.spec?.containers.map((container) => ({ ...container, ...given(container.name) })) ?? [];
  return { ...merged, spec: { ...merged.spec, containers: all } } as KubeObject;
}

function checkPreconditions(resource: Resource, { metadata }: Stored, { uid, resourceVersion }: Identity): void {
  const isSame = uid === undefined || uid === metadata.uid;
  if (isSame && (resourceVersion ?? metadata.resourceVersion) === metadata.resourceVersion) return;
  throw failure("conflict", resource, metadata.name);
}

function failure(code: KubernetesErrorCode, { kind }: Resource, name: string): KubernetesError {
  return new KubernetesError(code, { operation: `${kind} ${name}`, message: code });
}
