import assert from "node:assert/strict";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { until } from "../../support/kube/until.ts";
import { clusterScenario } from "../../support/scenario/cluster-scenario.ts";
import type { ClusterUnderTest } from "../../support/scenario/cluster-under-test.ts";
import { etcdOf, podsCarry } from "../../support/scenario/rolled.ts";
import { specFields } from "../../support/scenario/spec-fields.ts";
import type { Witness } from "../../support/scenario/witness.ts";

const scenario = clusterScenario();

/** What an edit of a field does to the pods: another pod, a change in the pod that runs, or nothing at all. */
type Effect = "new pods" | "same pods" | "nothing";

interface Case {
  readonly effect: Effect;
  readonly value: unknown;
  /** What the field says again afterwards; absent unless told. */
  readonly before?: unknown;
  readonly isIn?: (pod: Pod) => unknown;
}

const flag = (text: string) => (pod: Pod) => etcdOf(pod).command?.includes(text);
const nothing = (value: unknown, before: unknown = null): Case => ({ effect: "nothing", value, before });
const tunable = (value: unknown, text: string): Case => ({ effect: "new pods", value, isIn: flag(text) });
const AFFINITY = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] as object[] } };
AFFINITY.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution.push({
  weight: 1,
  preference: { matchExpressions: [{ key: "disk", operator: "Exists" }] },
});
const SPREAD = {
  maxSkew: 3,
  topologyKey: "rack",
  whenUnsatisfiable: "ScheduleAnyway",
  labelSelector: { matchLabels: { app: "etcd" } },
};

const cases: Readonly<Record<string, Case>> = {
  repository: {
    effect: "same pods",
    value: "registry.example.com/mirror/etcd",
    before: "quay.io/coreos/etcd",
    isIn: (pod) => etcdOf(pod).image?.startsWith("registry.example.com/mirror/etcd:"),
  },
  version: {
    effect: "same pods",
    value: "3.5.35",
    before: "3.5.30",
    isIn: (pod) => /3\.5\.35/.test(etcdOf(pod).image ?? ""),
  },
  paused: nothing(true, false),
  "bootstrap.mode": nothing("Parallel", "Sequential"),
  "memberReplacement.afterSeconds": nothing(90, 60),
  "persistentVolumeClaimRetentionPolicy.whenDeleted": nothing("Retain", "Delete"),
  "persistentVolumeClaimRetentionPolicy.whenScaled": nothing("Retain", "Delete"),
  "recovery.backupName": nothing("nightly"),
  "upgrade.backupName": nothing("nightly"),
  "recovery.graceSeconds": nothing(400, 300),
  "etcd.autoCompactionMode": tunable("revision", "--auto-compaction-mode=revision"),
  "etcd.autoCompactionRetention": tunable("2", "--auto-compaction-retention=2"),
  "etcd.electionTimeoutMs": tunable(1500, "--election-timeout=1500"),
  "etcd.heartbeatIntervalMs": tunable(150, "--heartbeat-interval=150"),
  "etcd.maxRequestBytes": tunable(2_000_000, "--max-request-bytes=2000000"),
  "etcd.quotaBackendBytes": tunable(4_000_000_000, "--quota-backend-bytes=4000000000"),
  "etcd.snapshotCount": tunable(20_000, "--snapshot-count=20000"),
  "pod.DNSTimeoutInSecond": nothing(7),
  "pod.busyboxImage": nothing("busybox:1.28.0-glibc"),
  "pod.labels": { effect: "same pods", value: { team: "a" }, isIn: ({ metadata }) => metadata?.labels?.team === "a" },
  "pod.annotations": {
    effect: "same pods",
    value: { note: "a" },
    isIn: ({ metadata }) => metadata?.annotations?.note === "a",
  },
  "pod.nodeSelector": {
    effect: "new pods",
    value: { "kubernetes.io/os": "linux" },
    isIn: ({ spec }) => spec?.nodeSelector?.["kubernetes.io/os"] === "linux",
  },
  "pod.affinity": { effect: "new pods", value: AFFINITY, isIn: ({ spec }) => spec?.affinity?.nodeAffinity },
  "pod.tolerations": {
    effect: "new pods",
    value: [{ key: "dedicated", operator: "Exists" }],
    isIn: ({ spec }) => spec?.tolerations?.some(({ key }) => key === "dedicated"),
  },
  "pod.topologySpreadConstraints": {
    effect: "new pods",
    value: [SPREAD],
    isIn: ({ spec }) => spec?.topologySpreadConstraints?.some(({ topologyKey }) => topologyKey === "rack"),
  },
  "pod.resources": {
    effect: "new pods",
    value: { requests: { cpu: "15m" } },
    isIn: (pod) => etcdOf(pod).resources?.requests?.cpu === "15m",
  },
  "pod.etcdEnv": {
    effect: "new pods",
    value: [{ name: "ETCD_LOG_LEVEL", value: "warn" }],
    isIn: (pod) => etcdOf(pod).env?.some(({ name }) => name === "ETCD_LOG_LEVEL"),
  },
  "pod.imagePullPolicy": {
    effect: "new pods",
    value: "Always",
    isIn: (pod) => etcdOf(pod).imagePullPolicy === "Always",
  },
  "pod.imagePullSecrets": {
    effect: "new pods",
    value: [{ name: "registry" }],
    isIn: ({ spec }) => spec?.imagePullSecrets?.some(({ name }) => name === "registry"),
  },
  "pod.priorityClassName": {
    effect: "new pods",
    value: "system-cluster-critical",
    isIn: ({ spec }) => spec?.priorityClassName === "system-cluster-critical",
  },
  "pod.securityContext": {
    effect: "new pods",
    value: { supplementalGroups: [7] },
    isIn: ({ spec }) => spec?.securityContext?.supplementalGroups?.includes(7),
  },
  "pod.serviceAccountName": {
    effect: "new pods",
    value: "etcd",
    isIn: ({ spec }) => spec?.serviceAccountName === "etcd",
  },
  "pod.terminationGracePeriodSeconds": {
    effect: "new pods",
    value: 20,
    isIn: ({ spec }) => spec?.terminationGracePeriodSeconds === 20,
  },
};

/** Fields with a test of their own: below, in tls-secrets.long.test.ts, and in all that resizes. */
const ELSEWHERE = [
  "TLS.static.member.peerSecret",
  "TLS.static.member.serverSecret",
  "TLS.static.operatorSecret",
  "pod.ClusterDomain",
  "pod.antiAffinity",
  "pod.persistentVolumeClaimSpec",
  "recovery.onQuorumLoss",
  "size",
];

let cluster: ClusterUnderTest;
let witness: Witness;

beforeAll(async () => {
  await scenario.local.kubectl("create", "serviceaccount", "etcd");
  cluster = await scenario.create("fields", {
    claims: true,
    whenDeleted: "Delete",
    version: "3.5.30",
    bootstrap: "Parallel",
  });
  await cluster.settled(3);
});
afterAll(() => cluster?.stopWitnesses());

/** The patch that sets one field. */
function setting(path: string, value: unknown): object {
  return path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object;
}

async function edit(
  path: string,
  value: unknown,
  wanted: { effect: Effect; is: (pod: Pod) => unknown },
): Promise<void> {
  const [ids, uids] = [await cluster.memberIds(), await cluster.podUids()];
  await cluster.changeSpec(setting(path, value));
  await cluster.becomes(
    "to have seen it",
    ({ status, metadata }) => status?.observedGeneration === metadata.generation,
  );
  if (path !== "paused")
    await podsCarry(cluster, { what: `${path} = ${JSON.stringify(value)}`, size: 3, is: wanted.is });
  const now = await cluster.podUids();
  if (wanted.effect === "new pods") assert.ok(!now.some((uid) => uids.includes(uid)), "a pod stayed as it was");
  else assert.deepEqual(now, uids);
  assert.deepEqual(await cluster.memberIds(), ids);
}

describe("every field of the spec reaches every member, and can be taken back", { timeout: 240_000 }, () => {
  test("there is a case for each, and for no other", () => {
    assert.deepEqual([...Object.keys(cases), ...ELSEWHERE].sort(), specFields());
  });

  test.each(Object.keys(cases))("%s", async (path) => {
    const { effect, value, before = null, isIn = () => true } = cases[path] ?? nothing(null);
    witness = await cluster.witness({ name: path });
    await witness.writesAgain();
    await edit(path, value, { effect, is: isIn });
    await edit(path, before, { effect, is: (pod) => effect === "nothing" || !isIn(pod) });
    await cluster.verify(witness);
  });

  test("pod.ClusterDomain: is refused, because members know each other by it", async () => {
    await assert.rejects(cluster.changeSpec({ pod: { ClusterDomain: "cluster.local" } }), /know each other by/);
  });

  test("recovery.onQuorumLoss: changes no member", async () => {
    await cluster.changeSpec({ recovery: { backupName: "nightly" } });
    const is = () => true;
    await edit("recovery.onQuorumLoss", "RestoreLatestBackup", { effect: "nothing", is });
    await edit("recovery.onQuorumLoss", "Manual", { effect: "nothing", is });
    await cluster.changeSpec({ recovery: { backupName: null } });
  });

  test("pod.antiAffinity: where there is one node only, one member waits for another until it is taken back", async () => {
    witness = await cluster.witness({ name: "antiAffinity" });
    await cluster.changeSpec({ pod: { antiAffinity: true } });
    const carrying = async () =>
      (await cluster.pods()).filter(({ spec }) => spec?.affinity?.podAntiAffinity !== undefined).length;
    await until(async () => (await carrying()) === 1, { what: "the first pod with it", timeoutMs: 60_000 });
    await cluster.becomes("to say why", ({ status }) => /node/i.test(JSON.stringify(status?.conditions)), 60_000);
    assert.equal(await carrying(), 1);
    await witness.writesAgain(100);
    await cluster.changeSpec({ pod: { antiAffinity: null } });
    await podsCarry(cluster, { what: "no antiAffinity", size: 3, is: ({ spec }) => !spec?.affinity });
    await cluster.verify(witness);
  });

  test("pod.persistentVolumeClaimSpec: goes and comes with other members; and grows", async () => {
    witness = await cluster.witness({ name: "volumes" });
    const claim = (storage: string) => ({ accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } });
    const usesClaim = ({ spec }: Pod) => spec?.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim);
    await cluster.changeSpec({ pod: { persistentVolumeClaimSpec: null } });
    await podsCarry(cluster, { what: "no volumes", size: 3, is: (pod) => !usesClaim(pod) });
    await until(async () => (await cluster.claims()).length === 0, { what: "the claims to go" });
    await cluster.changeSpec({ pod: { persistentVolumeClaimSpec: claim("1Gi") } });
    await podsCarry(cluster, { what: "volumes", size: 3, is: usesClaim });
    const uids = await cluster.podUids();
    await cluster.changeSpec({ pod: { persistentVolumeClaimSpec: claim("2Gi") } });
    const haveGrown = async () => {
      const claims = await cluster.claims();
      return claims.length === 3 && claims.every(({ spec }) => spec?.resources?.requests?.storage === "2Gi");
    };
    await until(haveGrown, { what: "claims that ask for more", timeoutMs: 60_000 });
    await cluster.settled(3);
    assert.deepEqual(await cluster.podUids(), uids);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});
