import { createLogger, TrackedClient } from "@etcd-operator/controller-runtime";
import type { EtcdClient } from "@etcd-operator/etcd-client";
import type { KubeObject, Resource, Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, KubeClient, resources, systemClock } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { labelSelector } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import type { EtcdCluster, EtcdClusterStatus } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { createActor } from "@etcd-operator/operator/cluster/act.ts";
import type { Action, ActionOutcome, ObjectId, Step } from "@etcd-operator/operator/cluster/model/action.ts";
import type { Observation } from "@etcd-operator/operator/cluster/model/observation.ts";
import { claim } from "@etcd-operator/operator/cluster/objects/claim.ts";
import { ETCD_CONTAINER, memberPod } from "@etcd-operator/operator/cluster/objects/pod/pod.ts";
import { retainedClaims } from "@etcd-operator/operator/cluster/observe/claim-seen.ts";
import { clusterSeen } from "@etcd-operator/operator/cluster/observe/cluster-seen.ts";
import { type Asked, askMember, notReached } from "@etcd-operator/operator/cluster/observe/members/ask-member.ts";
import { membershipSeen } from "@etcd-operator/operator/cluster/observe/members/membership-seen.ts";
import { isOwnedBy } from "@etcd-operator/operator/cluster/observe/ownership.ts";
import { podSeen } from "@etcd-operator/operator/cluster/observe/pod-seen.ts";
import { withSetAside } from "@etcd-operator/operator/cluster/observe/set-aside-seen.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { createCrds } from "@etcd-operator/operator/process/create-crds.ts";
import type { Container, ContainerStatus, Pod } from "kubernetes-types/core/v1.d.ts";
import { type LocalApiServer, startLocalApiServer } from "../local/api-server.ts";
import { until } from "../until.ts";
import { SEEN_FOR_EVER } from "./an-observation.ts";
import type { EtcdUnderTest } from "./etcd-under-test.ts";

const signal = new AbortController().signal;

/** For tests: an API server with our kinds, for clusters in namespaces of their own. */
export class ApiUnderTest {
  readonly client: KubeClient;
  readonly #server: LocalApiServer;

  static async start(): Promise<ApiUnderTest> {
    const server = await startLocalApiServer();
    const client = new KubeClient(await connectionFromKubeconfig(server.kubeconfig));
    const logger = createLogger({ level: "silent" });
    await createCrds({ client, logger, clock: systemClock, random: Math.random }, signal);
    return new ApiUnderTest(client, server);
  }

  private constructor(client: KubeClient, server: LocalApiServer) {
    this.client = client;
    this.#server = server;
  }

  /** An EtcdCluster called "example" of three members, unless the case is about something else. */
  async aCluster(spec: object = {}, status: EtcdClusterStatus = {}): Promise<ClusterUnderTest> {
    const namespace = await this.client.create(resources.namespaces, {
      metadata: { generateName: "act-" },
    } as KubeObject);
    const { name } = namespace.metadata;
    // Admission refuses pods until the namespace has this ServiceAccount.
    await this.client.create(resources.serviceAccounts, { metadata: { namespace: name, name: "default" } });
    const cluster = new ClusterUnderTest(this.client, name);
    await cluster.create(spec, status);
    return cluster;
  }

  async stop(): Promise<void> {
    await this.client.close();
    await this.#server.stop();
  }
}

export interface PodGiven {
  /** "pending" is what no kubelet has started yet. */
  readonly phase?: "pending" | "Running" | "Failed";
  readonly memberId?: string;
  readonly incarnation?: number;
  readonly status?: Pod["status"];
  /** What others put into it beside ours. */
  readonly sidecars?: readonly Container[];
}

/** What the kubelet reports of a pod in which etcd runs, and of one in which it does not. */
export const ETCD_RUNS = etcdIs({ running: { startedAt: "2030-01-01T00:00:00Z" } });
export const ETCD_WAITS = etcdIs({ waiting: { reason: "ImagePullBackOff" } });

function etcdIs(state: NonNullable<ContainerStatus["state"]>): NonNullable<Pod["status"]> {
  const container = {
    name: ETCD_CONTAINER,
    image: "etcd",
    imageID: "",
    containerID: "id",
    ready: false,
    restartCount: 0,
  };
  return { containerStatuses: [{ ...container, state }] };
}

/** For tests: an EtcdCluster, its existing objects, and the actor that works on it. */
export class ClusterUnderTest {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name = "example";
  /** How the members are reached, by pod. */
  readonly etcd = new Map<string, EtcdClient>();
  isLeading = true;

  constructor(client: KubeClient, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  async create(spec: object = {}, status: EtcdClusterStatus = {}): Promise<void> {
    const metadata = { namespace: this.namespace, name: this.name };
    const wanted = { metadata, spec: { size: 3, version: "3.5.16", ...spec } } as unknown as EtcdCluster;
    const created = await this.client.create(ownResources.etcdClusters, wanted);
    await this.client.updateStatus(ownResources.etcdClusters, { ...created, status });
  }

  async get<T extends KubeObject>(resource: Resource<T>, name: string): Promise<Stored<T> | undefined> {
    return this.client.get(resource, { namespace: this.namespace, name }).catch((error: unknown) => {
      if (hasCode(error, "not-found")) return undefined;
      throw error;
    });
  }

  async there<T extends KubeObject>(resource: Resource<T>, name: string): Promise<Stored<T>> {
    return this.client.get(resource, { namespace: this.namespace, name });
  }

  /** Gone for good, as when the kubelet or a controller has finished with it. */
  async takeAway<T extends KubeObject>(resource: Resource<T>, name: string): Promise<void> {
    const ref = { namespace: this.namespace, name };
    await this.client.patch(resource, ref, { merge: { metadata: { finalizers: null } } });
    // Without a finalizer, one that was deleted before is gone by now.
    await this.client.delete(resource, ref, { gracePeriodSeconds: 0 }).catch((error: unknown) => {
      if (!hasCode(error, "not-found")) throw error;
    });
    await until(async () => (await this.get(resource, name)) === undefined, { what: `the end of ${name}` });
  }

  async cluster(): Promise<Stored<EtcdCluster>> {
    return clusterSeen(await this.there(ownResources.etcdClusters, this.name)).cluster;
  }

  async patchSpec(spec: object): Promise<void> {
    await this.client.patch(ownResources.etcdClusters, this, { merge: { spec } });
  }

  async patchStatus(status: EtcdClusterStatus): Promise<void> {
    await this.client.patchStatus(ownResources.etcdClusters, this, { merge: { status } });
  }

  /** The pod of a member as the operator would have made it, on a node that does not exist. */
  async aPod(name: string, given: PodGiven = {}): Promise<Stored<Pod>> {
    const { phase = "Running", incarnation = 1, memberId, status = {}, sidecars = [] } = given;
    const cluster = await this.cluster();
    const start = memberId
      ? ({ kind: "returning", clusterId: cluster.status?.clusterID ?? "", memberId } as const)
      : ({ kind: "seed", token: "t", peers: [] } as const);
    const version = { major: 3, minor: 5, patch: 16 };
    const pod = memberPod({ cluster, member: name, version, incarnation, start, guardImage: "guard" });
    const isStarted = phase !== "pending";
    const containers = [...(pod.spec?.containers ?? []), ...sidecars];
    const spec = { ...pod.spec, containers, ...(isStarted && { nodeName: "nowhere" }) };
    const created = await this.client.create(resources.pods, { ...pod, spec });
    if (!isStarted) return created;
    return this.client.patchStatus(resources.pods, created.metadata, { merge: { status: { phase, ...status } } });
  }

  /** A running pod for every member of an etcd cluster, and the way to it. */
  async runs(etcd: EtcdUnderTest, given: PodGiven = {}): Promise<void> {
    for (const [name, client] of etcd.clients) {
      await this.aPod(name, { memberId: await etcd.idOf(name), ...given });
      this.etcd.set(name, client);
    }
  }

  /** The claim of a member as the operator would have made it. */
  async aClaim(name: string, annotations: Record<string, string> = {}, incarnation = 1) {
    const wanted = claim(await this.cluster(), name, incarnation);
    if (!wanted) throw new Error("the spec asks for no claims");
    const metadata = { ...wanted.metadata, annotations: { ...wanted.metadata?.annotations, ...annotations } };
    return this.client.create(resources.persistentVolumeClaims, { ...wanted, metadata });
  }

  /** What a reconcile would see this moment. */
  async observe(more: Partial<Observation> = {}): Promise<Observation> {
    const stored = await this.there(ownResources.etcdClusters, this.name);
    const { cluster, problems } = clusterSeen(stored);
    const { uid } = cluster.metadata;
    const selection = { namespace: this.namespace, labelSelector: labelSelector(this.name) };
    const pods = (await this.client.list(resources.pods, selection)).items.filter((pod) => isOwnedBy(pod, uid));
    const claims = (await this.client.list(resources.persistentVolumeClaims, selection)).items;
    const { current, setAside } = withSetAside(cluster, pods, claims);
    const question = { clusterId: cluster.status?.clusterID, timeoutMs: 2_000, signal };
    const askedAtMs = systemClock.monotonic();
    const asked = await Promise.all(current.pods.map(({ metadata }) => this.#ask(metadata.name, question)));
    const missing = { kind: "missing" } as const;
    return {
      nowMs: Date.parse("2030-01-01T00:00:00.123Z"),
      seenFor: SEEN_FOR_EVER,
      askedAtMs,
      cluster,
      problems,
      objects: { peerService: missing, clientService: missing, disruptionBudget: missing },
      pods: current.pods.map((pod, index) => podSeen(pod, asked[index]?.answer ?? { health: "unknown" })),
      claims: current.claims,
      retained: retainedClaims(claims, cluster),
      setAside,
      strangers: { leftoverPods: [], foreignPods: [] },
      membership: await membershipSeen(
        asked.flatMap(({ reached }) => reached ?? []),
        question,
      ),
      alarms: [],
      tls: undefined,
      upgradeBackup: undefined,
      freshNames: [],
      ...more,
    };
  }

  async act(seen: Observation, step: Step): Promise<ActionOutcome> {
    const act = createActor({
      client: this.client,
      members: { clientOf: async (_, podName) => this.#clientOf(podName) },
      guardImage: "guard",
      isLeading: () => this.isLeading,
      clock: systemClock,
    });
    const log = { wrote: () => {}, deleted: () => {}, leftOpen: () => {} };
    const action: Action = { reason: "WaitingForMembers", message: "a test asks for it", ...step };
    return act(seen, action, { writer: new TrackedClient(this.client, log), signal });
  }

  async #ask(podName: string, question: Parameters<typeof askMember>[1]): Promise<Asked> {
    const client = this.etcd.get(podName);
    return client ? askMember(client, question) : notReached(new Error("no way to it"));
  }

  #clientOf(podName: string): EtcdClient {
    const client = this.etcd.get(podName);
    if (client) return client;
    throw new Error(`no connection to pod '${podName}'`);
  }
}

export function objectId({ metadata: { name, uid, resourceVersion } }: Stored): ObjectId {
  return { name, uid, resourceVersion };
}

/** Why an action was postponed; fails when it was not. */
export function whyPostponed(outcome: ActionOutcome): string {
  if (outcome.kind === "postponed") return outcome.why;
  throw new Error("the action was carried out");
}
