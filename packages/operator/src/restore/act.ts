import type { ActionOutcome, Fence, TrackedClient } from "@etcd-operator/controller-runtime";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { hasCode, keyOf, type Stored } from "@etcd-operator/kubernetes-client";
import { parseEtcdVersion } from "../api/cluster/etcd-version.ts";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import type { EtcdRestore } from "../api/etcd-restore.ts";
import { SCOPE_ANNOTATION } from "../api/group.ts";
import {
  RESTORE_ANNOTATION,
  RESTORE_UID_ANNOTATION,
  type RestoreRequest,
  restoreAnnotation,
} from "../api/restore-request.ts";
import { ownResources } from "../objects/own-resources.ts";
import { removeAbandonedWorkers } from "../transfer/pods/abandoned-workers.ts";
import { expectStillOurs } from "../transfer/still-ours.ts";
import type { Action } from "./action.ts";
import { isOwnedBy } from "./attempt.ts";
import { FINALIZER } from "./finalizer.ts";
import type { Observation } from "./observation.ts";
import { isNeedless } from "./rules/still-needed.ts";
import { stateOf } from "./situation.ts";
import type { StartWork } from "./start-work.ts";

export interface ActorOptions {
  readonly client: Pick<KubeClient, "get" | "list" | "delete">;
  readonly fence: Fence;
  readonly startWork: StartWork;
  /** Cancels all work for a restore. */
  readonly dropRuns: (key: string) => Promise<void>;
}

interface Writing {
  readonly writer: TrackedClient;
  readonly signal: AbortSignal;
}

/** The same, with what every write has to ask first. */
interface Hand extends Writing {
  readonly fence: Fence;
}

export type Act = (seen: Observation, action: Action, writing: Writing) => Promise<ActionOutcome>;

const DONE: ActionOutcome = { kind: "done" };
const RETRY_MS = 1_000;

/** All writes of a reconcile, except for the status. */
export function createActor(options: ActorOptions): Act {
  const { fence, startWork, dropRuns } = options;
  return async (seen, action, writing) => {
    const key = keyOf(seen.restore.metadata);
    const hand = { ...writing, fence };
    const stillOurs = () => expectStillOurs(options.client, ownResources.etcdRestores, seen.restore, writing.signal);
    switch (action.kind) {
      case "none":
      case "hold":
      case "obstructed":
      case "record-verified":
      case "record-refused":
      case "record-saved":
      case "give-up":
      case "fail":
      case "succeed":
        return DONE;
      case "begin":
        await dropRuns(key);
        return DONE;
      case "verify":
      case "save":
      case "push":
        await stillOurs();
        await startWork(seen, action);
        return DONE;
      case "add-finalizer":
        return setFinalizers(seen, [...otherFinalizers(seen), FINALIZER], hand);
      case "remove-finalizer":
        await dropRuns(key);
        await stillOurs();
        // A process that was killed has left its own, and the store is not opened again.
        await removeWorkers(options.client, seen, hand);
        return setFinalizers(seen, otherFinalizers(seen), hand);
      case "request":
      case "create-cluster":
        return (await changeOf(options.client, seen, writing.signal)) ?? ask(seen, action, hand);
      case "cancel":
        await stillOurs();
        return annotate(seen, restoreAnnotation(action.request), {}, hand);
      case "withdraw":
        await stillOurs();
        return annotate(seen, { [RESTORE_ANNOTATION]: null }, {}, hand);
      case "park-cluster":
        await stillOurs();
        return annotate(seen, { [RESTORE_ANNOTATION]: null }, { spec: { paused: true } }, hand);
    }
  };
}

async function ask(
  seen: Observation,
  action: Extract<Action, { kind: "request" | "create-cluster" }>,
  hand: Hand,
): Promise<ActionOutcome> {
  try {
    if (action.kind === "create-cluster") return await makeCluster(seen, action.request, hand);
    return await annotate(seen, restoreAnnotation(action.request), {}, hand);
  } catch (error) {
    if (hasCode(error, "invalid")) return { kind: "refused", why: error.message };
    throw error;
  }
}

/** The last check before the cluster is changed: the restore may have been cancelled. */
async function changeOf(
  client: Pick<KubeClient, "get">,
  seen: Observation,
  signal: AbortSignal,
): Promise<ActionOutcome | undefined> {
  const { restore, cluster } = seen;
  const live = await expectStillOurs(client, ownResources.etcdRestores, restore, signal);
  if (live.metadata.generation !== restore.metadata.generation || live.metadata.deletionTimestamp) {
    return postponed("the EtcdRestore was edited or deleted during the reconcile");
  }
  if (!cluster || !isOwnedBy(restore, cluster) || stateOf(seen) !== undefined) return undefined;
  const liveCluster = await client.get(ownResources.etcdClusters, cluster.metadata, { signal });
  // The next reconcile observes it, too, and reports it.
  return isNeedless(restore, liveCluster) ? postponed("it is not needed any more") : undefined;
}

function postponed(why: string): ActionOutcome {
  return { kind: "postponed", why, retryMs: RETRY_MS };
}

async function removeWorkers(
  client: Pick<KubeClient, "list" | "delete">,
  { restore }: Observation,
  { signal, fence }: Hand,
): Promise<void> {
  const { namespace = "default", name, uid } = restore.metadata;
  fence(`removing the workers of EtcdRestore ${name}`);
  await removeAbandonedWorkers(client, { namespace, uid }, signal);
}

async function setFinalizers(
  { restore }: Observation,
  finalizers: readonly string[],
  { writer, signal, fence }: Hand,
): Promise<ActionOutcome> {
  const { uid, resourceVersion, name } = restore.metadata;
  fence(`changing EtcdRestore ${name}`);
  const merge = { metadata: { uid, resourceVersion, finalizers: finalizers.length > 0 ? finalizers : null } };
  await writer.patch(ownResources.etcdRestores, restore.metadata, { merge }, { signal });
  return DONE;
}

function otherFinalizers({ restore }: Observation): readonly string[] {
  return (restore.metadata.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
}

/** Applies to this very cluster in this very version, or not at all: a change in between may have had a reason. */
async function annotate(
  { cluster }: Observation,
  annotations: Readonly<Record<string, string | null>>,
  more: object,
  { writer, signal, fence }: Hand,
): Promise<ActionOutcome> {
  if (!cluster) return postponed("the EtcdCluster does not exist any more");
  const { uid, resourceVersion, name } = cluster.metadata;
  fence(`changing EtcdCluster ${name}`);
  const merge = { metadata: { uid, resourceVersion, annotations }, ...more };
  await writer.patch(ownResources.etcdClusters, cluster.metadata, { merge }, { signal });
  return DONE;
}

async function makeCluster(
  seen: Observation,
  request: RestoreRequest,
  { writer, signal, fence }: Hand,
): Promise<ActionOutcome> {
  const wanted = clusterFrom(seen, request);
  fence(`creating EtcdCluster ${wanted.metadata.name}`);
  const { cluster } = seen;
  if (!cluster) await writer.create(ownResources.etcdClusters, wanted, { signal });
  else {
    const annotations = { ...cluster.metadata.annotations, ...wanted.metadata.annotations };
    const again = { ...cluster, spec: wanted.spec, metadata: { ...cluster.metadata, annotations } };
    await writer.update(ownResources.etcdClusters, again, { signal });
  }
  return DONE;
}

/** The request is on it from its first moment, so that it is never bootstrapped as an empty one. */
function clusterFrom({ restore, cluster }: Observation, request: RestoreRequest): EtcdCluster {
  const { clusterTemplate, etcdCluster } = restore.spec;
  const { namespace, uid, annotations = {} } = restore.metadata as Stored["metadata"];
  const scope = annotations[SCOPE_ANNOTATION];
  const { paused: _, ...left } = cluster?.spec ?? ({} as EtcdCluster["spec"]);
  return {
    metadata: {
      name: etcdCluster.name,
      ...(namespace && { namespace }),
      ...(clusterTemplate?.metadata?.labels && { labels: clusterTemplate.metadata.labels }),
      annotations: {
        // The operator that manages the restore manages the cluster, unless the template says otherwise.
        ...(scope !== undefined && { [SCOPE_ANNOTATION]: scope }),
        ...clusterTemplate?.metadata?.annotations,
        [RESTORE_UID_ANNOTATION]: uid,
        ...restoreAnnotation(request),
      },
    },
    spec: clusterTemplate ? withVersionOf(restore, clusterTemplate.spec) : left,
  };
}

/**
 * Where the template names no version, the newest etcd might be too new for the snapshot: it gets the one that the
 * snapshot comes from.
 */
function withVersionOf({ status }: EtcdRestore, spec: EtcdCluster["spec"]): EtcdCluster["spec"] {
  const { etcdVersion = "" } = status?.snapshot ?? {};
  // A snapshot without metadata shows the minor only, as x.y.0.
  const isExact = (parseEtcdVersion(etcdVersion)?.patch ?? 0) > 0;
  return spec.version || !isExact ? spec : { ...spec, version: etcdVersion };
}
