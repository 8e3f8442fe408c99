import type { Pass } from "@etcd-operator/controller-runtime";
import { ConditionMemory } from "@etcd-operator/controller-runtime";
import type { Clock, KubeClient } from "@etcd-operator/kubernetes-client";
import { keyOf, refOf, type Stored } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { memberAddresses } from "../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import type { Scope } from "../context/controller-context.ts";
import type { AnswerSeen, Observation } from "./model/observation.ts";
import { retainedClaims } from "./observe/claim-seen.ts";
import { clusterSeen } from "./observe/cluster-seen.ts";
import { freshNames } from "./observe/fresh-names.ts";
import { cachedSource, liveSource, type Readers, type Source } from "./observe/kubernetes-source.ts";
import { lastingConditions } from "./observe/lasting-conditions.ts";
import { type Answers, askMembers } from "./observe/members/ask-members.ts";
import { GrowthMemory } from "./observe/members/growth-memory.ts";
import { lastSeen, lastStanding, NOTHING_SAID } from "./observe/members/last-standing.ts";
import { LogMemory } from "./observe/members/log-memory.ts";
import type { MemberConnections } from "./observe/members/member-connections.ts";
import { type AskedPod, Silence } from "./observe/members/silence.ts";
import { NodeMemory } from "./observe/node-memory.ts";
import { objectsSeen } from "./observe/objects-seen.ts";
import { ownAnnotations } from "./observe/own-annotations.ts";
import { podSeen, stageOf } from "./observe/pod-seen.ts";
import { podsByOwner } from "./observe/pods-by-owner.ts";
import { podsWithoutSecret } from "./observe/pods-without-secret.ts";
import { recoverySeen } from "./observe/recovery-seen.ts";
import { withSetAside } from "./observe/set-aside-seen.ts";
import { SurgeMemory, spreadSeen } from "./observe/spread-seen.ts";
import { MemberSecrets } from "./observe/tls-secrets.ts";
import { unlabelledClaims } from "./observe/unlabelled-claims.ts";
import { upgradeBackupSeen } from "./observe/upgrade-backup-seen.ts";
import { withVersion } from "./observe/with-version.ts";
import type { SecretReader } from "./tls/secret-reader.ts";
import { tlsSeen } from "./tls/tls-seen.ts";

export interface ObserverOptions {
  readonly client: Pick<KubeClient, "get" | "list">;
  readonly readers: Readers;
  readonly secrets: SecretReader;
  /** Shared with the actions that follow; it is closed with the observer. */
  readonly connections: MemberConnections;
  readonly scope: Pick<Scope, "covers">;
  readonly clock: Clock;
  readonly random: () => number;
}

/** The eyes of a controller of clusters. */
export interface Observer {
  /** All there is to know of a cluster; undefined when it is gone, or not ours. Writes nothing. */
  observe(key: string, signal: AbortSignal, pass: Pick<Pass, "mustReadLive">): Promise<Observation | undefined>;
  /** Whether the Secrets of a cluster were changed since its last reconcile. */
  haveSecretsChanged(cluster: EtcdCluster, signal: AbortSignal): Promise<boolean>;
  /** Closes the connections to a cluster's members. */
  forget(key: string): void;
  close(): void;
}

// A healthy member answers within milliseconds.
const ANSWER_TIMEOUT_MS = 2_000;
// A cluster that is not healthy is reconciled more often than twice in this time, unless the process is frozen or has
// too much to do.
const LONGEST_GAP_MS = 30_000;

/** What is remembered from pass to pass, and lost with the process. */
interface Memory {
  readonly secrets: MemberSecrets;
  readonly logs: LogMemory;
  readonly silence: Silence;
  readonly growth: GrowthMemory;
  readonly conditions: ConditionMemory;
  readonly surges: SurgeMemory;
  readonly nodes: NodeMemory;
}

export function createObserver(options: ObserverOptions): Observer {
  const { client, readers, secrets, connections, clock } = options;
  const conditions = new ConditionMemory(clock, LONGEST_GAP_MS);
  const silence = new Silence(clock);
  const [logs, growth, surges] = [new LogMemory(), new GrowthMemory(), new SurgeMemory()];
  const nodes = new NodeMemory(client, clock);
  const remembered = { logs, growth, silence, conditions, surges, nodes };
  const memory: Memory = { secrets: new MemberSecrets(secrets, clock), ...remembered };
  const forget = (key: string) => {
    connections.forget(key);
    memory.secrets.forget(key);
    logs.forget(key);
    growth.forget(key);
    silence.forget(key);
    conditions.forget(key);
    surges.forget(key);
  };
  return {
    async observe(key, signal, { mustReadLive }) {
      const ref = refOf(key);
      const live = liveSource(client, ref, signal);
      const seen = await look(options, memory, mustReadLive ? live : cachedSource(readers, live, ref), signal);
      if (!seen) forget(key);
      return seen;
    },
    haveSecretsChanged: (cluster, signal) => memory.secrets.haveChanged(cluster, signal),
    forget,
    close() {
      nodes.close();
      connections.close();
    },
  };
}

async function look(
  { connections, scope, clock, random }: ObserverOptions,
  memory: Memory,
  source: Source,
  signal: AbortSignal,
): Promise<Observation | undefined> {
  // The cluster last: what it owns must not be newer than what it says, or a member that was declared looks like a
  // stray.
  const [labelled, labelledClaims] = await Promise.all([source.pods(), source.claims()]);
  const stored = await source.cluster();
  if (!stored || !scope.covers(stored)) return undefined;
  const { cluster: named, ...judged } = clusterSeen(stored);
  const { own, orphans, strangers } = podsByOwner(named, labelled);
  const claims = [...labelledClaims, ...(await unlabelledClaims(named, own, labelledClaims, source))];
  const cluster = withVersion(named, { pods: [...own, ...orphans], claims });
  const { current, setAside } = withSetAside(cluster, own, claims);
  const askedAtMs = clock.monotonic();
  const last = lastStanding(cluster, own, setAside);
  const [objects, secrets, asked, lackingSecret] = await Promise.all([
    objectsSeen(cluster, source),
    memory.secrets.secretsOf(cluster, signal),
    askPods({ connections, silence: memory.silence }, cluster, last ? [last] : [...current.pods, ...orphans], signal),
    podsWithoutSecret(current.pods, source),
  ]);
  // What the last of another cluster says is nothing about this one.
  const { answers, membership, alarms } = last ? NOTHING_SAID : asked;
  const pods = current.pods.map((pod) => {
    const { uid } = pod.metadata;
    return podSeen(pod, answers.get(uid) ?? notAsked(pod), lackingSecret.has(uid));
  });
  const upgradeBackup = await upgradeBackupSeen(cluster, pods, source);
  const nowMs = clock.now();
  const pictured: Omit<Observation, "seenFor"> = {
    nowMs,
    askedAtMs,
    cluster,
    ...judged,
    objects,
    pods,
    claims: current.claims,
    retained: retainedClaims(claims, cluster),
    ...(orphans.length > 0 && {
      orphans: orphans.map((pod) => podSeen(pod, answers.get(pod.metadata.uid) ?? notAsked(pod))),
    }),
    setAside,
    ...(last && { lastStanding: lastSeen(last, asked) }),
    strangers,
    membership,
    alarms,
    databaseGrowth: memory.growth.learn(keyOf(cluster.metadata), answers.values(), askedAtMs),
    savedLogs: memory.logs.learn(keyOf(cluster.metadata), { answers: answers.values(), membership, nowMs }),
    tls: secrets && tlsSeen(cluster, secrets, pods, nowMs),
    upgradeBackup,
    freshNames: freshNames(cluster.metadata.name, random),
    nodes: await memory.nodes.seenBy(cluster, pods),
  };
  const seenFor = memory.conditions.learn(keyOf(cluster.metadata), lastingConditions(pictured));
  const seen = { ...pictured, seenFor };
  const attempts = memory.surges.learn(keyOf(cluster.metadata), pictured);
  const [recovery, spread] = await Promise.all([recoverySeen(seen, source), spreadSeen(seen, attempts, source)]);
  return { ...seen, recovery, ...(spread && { spread }) };
}

async function askPods(
  { connections, silence }: { readonly connections: MemberConnections; readonly silence: Silence },
  cluster: Stored<EtcdCluster>,
  pods: readonly Stored<Pod>[],
  signal: AbortSignal,
): Promise<Answers> {
  const askable = pods.filter((pod) => stageOf(pod) === "running" && pod.status?.podIP);
  const key = keyOf(cluster.metadata);
  connections.keepOnly(key, askable);
  const members = askable.map((pod) => ({
    uid: pod.metadata.uid,
    memberId: ownAnnotations(pod).memberId,
    peerUrl: memberAddresses(cluster, pod.metadata.name).peerUrl,
    isLeaving: Boolean(pod.metadata.deletionTimestamp),
    isKnownSilent: silence.isExpected(key, askedPod(pod)),
    line: () => connections.lineTo(cluster, pod, signal),
    renewedLine: () => connections.renewedLineTo(cluster, pod, signal),
    isDefragmenting: () => connections.isDefragmenting(pod, signal),
  }));
  const clusterId = cluster.status?.clusterID || undefined;
  const asked = await askMembers(members, { clusterId, timeoutMs: ANSWER_TIMEOUT_MS, signal });
  silence.learn(key, askable.map(askedPod), (uid) => asked.answers.get(uid)?.isSilent === true);
  return asked;
}

function askedPod({ metadata, status }: Stored<Pod>): AskedPod {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return { uid: metadata.uid, readiness: `${ready?.status} since ${ready?.lastTransitionTime}` };
}

function notAsked(pod: Stored<Pod>): AnswerSeen {
  const stage = stageOf(pod);
  const why = { pending: "its pod does not run yet", running: "its pod has no address", ended: "its pod has ended" };
  return { health: "unknown", why: why[stage] };
}
