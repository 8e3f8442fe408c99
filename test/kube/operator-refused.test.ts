import assert from "node:assert/strict";
import { KubeClient } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { applyCrds } from "@etcd-operator/testing/kube/control-plane/crds.ts";
import { openWorkspace, type Workspace } from "@etcd-operator/testing/kube/control-plane/workspace.ts";
import { injectedKube } from "@etcd-operator/testing/kube/injected.ts";
import { OperatorNamespace } from "@etcd-operator/testing/kube/rights/operator-namespace.ts";
import { aManifest } from "@etcd-operator/testing/scenario/cluster/a-manifest.ts";
import { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { conditionOf, is } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";

// The words are those of the real admission plugins; no pod ever runs here.
const kube = injectedKube();
let client: KubeClient;
let workspace: Workspace;
let namespace: OperatorNamespace;

beforeAll(async () => {
  await applyCrds(kube);
  client = new KubeClient(await connectionFromKubeconfig(kube.adminKubeconfig), { userAgent: "test" });
  workspace = await openWorkspace("operator-refused-");
  namespace = await OperatorNamespace.make(kube, workspace, { "pod-security.kubernetes.io/enforce": "restricted" });
  await namespace.startOperator("one");
});
afterAll(async () => {
  await workspace?.close();
  await client?.close();
});
beforeEach(({ onTestFailed }) => onTestFailed(async () => void process.stdout.write(await namespace.tell())));

const CLAIM = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Gi" } } };

/** What an administrator has put there, what a user asks for, and what the status has to say. */
const cases: readonly (readonly [
  name: string,
  barrier: object | undefined,
  pod: object,
  cause: RegExp,
  remedy: RegExp,
])[] = [
  [
    "quota",
    { kind: "ResourceQuota", spec: { hard: { pods: "0" } } },
    {},
    /exceeded quota: quota, requested: pods=1, used: pods=0, limited: pods=0/,
    /Raise ResourceQuota 'quota'/,
  ],
  [
    "quota-of-limits",
    { kind: "ResourceQuota", spec: { hard: { "limits.cpu": "10" } } },
    {},
    /failed quota: quota-of-limits: must specify limits\.cpu for: /,
    /Set limits\.cpu in spec\.pod\.resources/,
  ],
  [
    "limit-range",
    { kind: "LimitRange", spec: { limits: [{ type: "Container", max: { memory: "100Mi" } }] } },
    { resources: { limits: { memory: "2Gi" } } },
    /maximum memory usage per Container is 100Mi, but limit is 2Gi/,
    /Change spec\.pod\.resources, or the LimitRange/,
  ],
  [
    "limit-range-of-claims",
    { kind: "LimitRange", spec: { limits: [{ type: "PersistentVolumeClaim", max: { storage: "1Gi" } }] } },
    { persistentVolumeClaimSpec: CLAIM },
    /maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 10Gi/,
    /Change spec\.pod\.persistentVolumeClaimSpec\.resources/,
  ],
  [
    "priority",
    undefined,
    { priorityClassName: "urgent" },
    /no PriorityClass with name urgent was found/,
    /Create PriorityClass 'urgent', or correct spec\.pod\.priorityClassName/,
  ],
  [
    "account",
    undefined,
    { serviceAccountName: "missing" },
    /error looking up service account .*serviceaccount "missing" not found/,
    /Create ServiceAccount 'missing'/,
  ],
  [
    "security",
    undefined,
    { securityContext: { runAsUser: 0 } },
    /violates PodSecurity "restricted:latest": /,
    /Correct spec\.pod\.securityContext so that it fits level 'restricted'/,
  ],
];

describe("what Kubernetes refuses is in the status, in its own words and with what to do:", () => {
  test.each(cases)("%s", async (name, barrier, pod, cause, remedy) => {
    if (barrier)
      await namespace.create({ apiVersion: "v1", metadata: { namespace: namespace.name, name }, ...barrier });
    const manifest = aManifest(name, { namespace: namespace.name });
    await namespace.create({ ...manifest, spec: { ...manifest.spec, pod } });
    const cluster = new ClusterUnderTest(client, { name, namespace: namespace.name });
    const seen = await cluster.becomes("is refused", (now) => is(now, "Degraded"));
    const { reason, message = "" } = conditionOf(seen, "Degraded") ?? {};
    assert.equal(reason, "ActionFailed");
    assert.match(message, cause);
    assert.match(message, remedy);
    assert.doesNotMatch(message, /\n|\/api\/v1/);
    assert.match(seen.status?.reason ?? "", cause);
    await namespace.kubectl("delete", "etcdcluster", name);
    if (barrier) await namespace.kubectl("delete", (barrier as { kind: string }).kind, name);
    await until(async () => (await cluster.pods()).length === 0, { what: "no pod of it to be left" });
  });
});
