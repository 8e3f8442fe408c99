import assert from "node:assert/strict";
import type { KubeObject } from "@etcd-operator/kubernetes-client";
import { ANNOTATIONS } from "@etcd-operator/operator/cluster/objects/annotations.ts";
import { type KubeWithNode, startKubeWithNode } from "@etcd-operator/testing/kube/control-plane/kube-with-node.ts";
import { injectedKube } from "@etcd-operator/testing/kube/injected.ts";
import {
  type MutatingWebhook,
  type PatchOperation,
  startMutatingWebhook,
} from "@etcd-operator/testing/kube/mutating-webhook.ts";
import { oneStory } from "@etcd-operator/testing/kube/one-story.ts";
import { OperatorNamespace } from "@etcd-operator/testing/kube/rights/operator-namespace.ts";
import { isRoot } from "@etcd-operator/testing/local/network.ts";
import { aManifest } from "@etcd-operator/testing/scenario/cluster/a-manifest.ts";
import { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Container, Pod } from "kubernetes-types/core/v1.d.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const CLUSTER = "changed";
const MIRROR = "mirror.example/";
const DIGEST = `@sha256:${"0a5f".repeat(16)}`;
const PROXY = { name: "proxy", image: "mirror.example/busybox:1", command: ["sleep", "86400"] };
/** Long enough for an operator that would write again, as it did every second. */
const IDLE_MS = 30_000;
const canRun = isRoot && injectedKube().hasControllerManager;

let machine: KubeWithNode;
let webhook: MutatingWebhook;
let namespace: OperatorNamespace;
let cluster: ClusterUnderTest;

async function setUp(): Promise<void> {
  machine = await startKubeWithNode();
  webhook = await startMutatingWebhook(["pods", "services", "persistentvolumeclaims", "poddisruptionbudgets"], changes);
  namespace = await OperatorNamespace.make(machine.kube, machine.workspace);
  await namespace.create(webhook.configurationFor(namespace.name));
  await namespace.startOperator("one");
  cluster = new ClusterUnderTest(machine.client, { name: CLUSTER, namespace: namespace.name });
}

async function tearDown(): Promise<void> {
  await machine?.stop();
  await webhook?.stop();
}

const lack = !canRun && "needs root and kube-controller-manager";
describe.skipIf(lack)(
  titleWith("an operator behind a webhook that changes all that it writes", lack),
  { timeout: 240_000 },
  () => {
    beforeAll(setUp);
    afterAll(tearDown);
    oneStory(() => namespace.tell());

    test("makes three members, each once", async () => {
      const manifest = aManifest(CLUSTER, { namespace: namespace.name });
      await namespace.create({
        ...manifest,
        spec: { ...manifest.spec, version: "3.5.16", pod: { labels: { team: "a" } } },
      });
      await cluster.settled(3);
      for (const pod of await cluster.pods()) {
        const { metadata } = pod;
        assert.deepEqual(imagesOf(pod), [`${MIRROR}quay.io/coreos/etcd:v3.5.16${DIGEST}`, PROXY.image]);
        assert.equal(metadata.annotations?.[ANNOTATIONS.askedImage], "quay.io/coreos/etcd:v3.5.16");
        assert.equal(metadata.labels?.team, "platform");
      }
      assert.ok(webhook.asked.includes("CREATE Pod") && webhook.asked.includes("UPDATE Pod"));
      assert.deepEqual(await written("create pods", "delete pods"), { "create pods": 3, "delete pods": 0 });
    });

    test("writes nothing more once they serve", async () => {
      const since = Date.now();
      await until(() => Date.now() - since >= IDLE_MS, { what: "a look at it", timeoutMs: 120_000, everyMs: 1_000 });
      assert.deepEqual(await writesSince(since), []);
    });

    test("gives each another version in its pod, once", async () => {
      const [since, uids] = [Date.now(), await cluster.podUids()];
      await cluster.changeSpec({ version: "3.5.30" });
      await cluster.becomes("to run 3.5.30", ({ status }) => status?.currentVersion === "3.5.30");
      await cluster.settled(3);
      assert.deepEqual(await cluster.podUids(), uids);
      const images = (await cluster.pods()).map(imagesOf);
      assert.deepEqual(images, Array(3).fill([`${MIRROR}quay.io/coreos/etcd:v3.5.30${DIGEST}`, PROXY.image]));
      await patchesPods(since);
    });

    test("asks for a label once, whatever becomes of it", async () => {
      const since = Date.now();
      await cluster.changeSpec({ pod: { labels: { team: "b" } } });
      await cluster.settled(3);
      await until(() => Date.now() - since >= IDLE_MS, { what: "a look at it", timeoutMs: 120_000, everyMs: 1_000 });
      await patchesPods(since);
    });
  },
);

/** Image, sidecar, labels and a toleration. */
function changes(operation: string, object: KubeObject): readonly PatchOperation[] {
  const labels = { ...object.metadata?.labels, team: "platform" };
  const metadata = [{ op: "add", path: "/metadata/labels", value: labels }] as const;
  if (object.kind !== "Pod") return metadata;
  const { spec } = object as Pod;
  const images = [
    ...(spec?.containers ?? []).flatMap((each, at) => mirrored(each, `/spec/containers/${at}/image`)),
    ...(spec?.initContainers ?? []).flatMap((each, at) => mirrored(each, `/spec/initContainers/${at}/image`)),
  ];
  if (operation !== "CREATE") return [...metadata, ...images];
  const tolerations = [...(spec?.tolerations ?? []), { key: "platform.example/pool", operator: "Exists" }];
  return [
    ...metadata,
    ...images,
    { op: "add", path: "/spec/containers/-", value: PROXY },
    { op: "add", path: "/spec/tolerations", value: tolerations },
  ];
}

function mirrored({ image = "" }: Container, path: string): readonly PatchOperation[] {
  return image.startsWith(MIRROR) ? [] : [{ op: "replace", path, value: `${MIRROR}${image}${DIGEST}` }];
}

function imagesOf({ spec }: Pick<Pod, "spec">): readonly (string | undefined)[] {
  return (spec?.containers ?? []).map(({ image }) => image);
}

async function written(...kinds: readonly string[]): Promise<Record<string, number>> {
  const all = await writesSince(0);
  return Object.fromEntries(kinds.map((kind) => [kind, all.filter((what) => what === kind).length]));
}

/** What was asked for, and what the webhook made of it; and a second one for what else is noted now and then. */
async function patchesPods(sinceMs: number): Promise<void> {
  const { length } = (await writesSince(sinceMs)).filter((what) => what === "patch pods");
  assert.ok(length >= 6 && length <= 9, `${length} patches of three pods`);
}

/** Such as "patch pods"; without status and Leases. */
async function writesSince(sinceMs: number): Promise<readonly string[]> {
  const requests = (await machine.audited()).filter(({ user, atMs }) => user === namespace.user && atMs >= sinceMs);
  return requests
    .filter(({ verb }) => !["get", "list", "watch"].includes(verb))
    .filter(({ resource }) => !/\/status$|leases$|events$/.test(resource))
    .map(({ verb, resource }) => `${verb} ${resource}`);
}
