import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { type KubeWithNode, startKubeWithNode } from "@etcd-operator/testing/kube/control-plane/kube-with-node.ts";
import { createVolumes } from "@etcd-operator/testing/kube/control-plane/volumes.ts";
import { injectedKube } from "@etcd-operator/testing/kube/injected.ts";
import { oneStory } from "@etcd-operator/testing/kube/one-story.ts";
import type { OperatorOnKube } from "@etcd-operator/testing/kube/operator.ts";
import type { AuditedRequest } from "@etcd-operator/testing/kube/rights/audit-log.ts";
import { OperatorNamespace } from "@etcd-operator/testing/kube/rights/operator-namespace.ts";
import { rightsGranted, rightsUsed } from "@etcd-operator/testing/kube/rights/rights.ts";
import { RIGHTS_USED_ELSEWHERE } from "@etcd-operator/testing/kube/rights/rights-used-elsewhere.ts";
import { createTlsCluster } from "@etcd-operator/testing/kube/tls-cluster.ts";
import { isRoot } from "@etcd-operator/testing/local/network.ts";
import { aManifest } from "@etcd-operator/testing/scenario/cluster/a-manifest.ts";
import { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import type { Witness } from "@etcd-operator/testing/scenario/data/witness.ts";
import { oldPod, oldServices } from "@etcd-operator/testing/scenario/operator/old-operator.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const EXAMPLE = "example-etcd-cluster";
const CLAIMING = "with-claims";
/**
 * Long enough for changes that are still to come; an idle cluster is reconciled once a minute, give or take a
 * fifth.
 */
const IDLE_MS = 30_000;
// Pods run as real processes, which needs root; garbage is collected by kube-controller-manager.
const canRun = isRoot && injectedKube().hasControllerManager;

let machine: KubeWithNode;
let namespace: OperatorNamespace;
let operator: OperatorOnKube;
let example: ClusterUnderTest;
let claiming: ClusterUnderTest;
let witness: Witness;

async function setUp(): Promise<void> {
  machine = await startKubeWithNode();
  await createVolumes(machine.client, machine.workspace.directory, 8);
  namespace = await OperatorNamespace.make(machine.kube, machine.workspace);
  operator = await namespace.startOperator("one");
  example = clusterNamed(EXAMPLE);
  claiming = clusterNamed(CLAIMING);
}

function clusterNamed(name: string): ClusterUnderTest {
  return new ClusterUnderTest(machine.client, { name, namespace: namespace.name });
}

async function tearDown(): Promise<void> {
  await Promise.all([example, claiming].map((cluster) => cluster?.stopWitnesses()));
  await machine?.stop();
}

const lack = !canRun && "needs root and kube-controller-manager";
describe.skipIf(lack)(
  titleWith("an operator with the rights of create_role.sh, on real pods", lack),
  { timeout: 240_000 },
  () => {
    beforeAll(setUp);
    afterAll(tearDown);
    oneStory(() => namespace.tell());

    test("it makes three members of the example, and kubectl shows them", async () => {
      await namespace.kubectl("create", "-f", "example/example-etcd-cluster.yaml");
      await namespace.kubectl("wait", "--for=condition=Available", `etcd/${EXAMPLE}`, "--timeout=120s");
      witness = await example.witness();
      await example.settled(3);
      assert.deepEqual(await namespace.columnsOf(EXAMPLE), ["3/3", "3.5.16", "Ready"]);
      await witness.writesAgain();
    });

    test("of two operators one stands by, and carries on where the other one was killed", async () => {
      const second = await namespace.startOperator("two");
      assert.ok(second.has("standing by"));
      await namespace.kubectl("scale", `etcd/${EXAMPLE}`, "--replicas=5");
      await example.becomes("to be about to grow", ({ status }) => status?.memberIntents?.length === 1);
      process.kill(operator.pid, "SIGKILL");
      await operator.ended;
      operator = second;
      await example.settled(5);
      assert.deepEqual(await namespace.columnsOf(EXAMPLE), ["5/5", "3.5.16", "Ready"]);
    });

    test("it goes back to three, and replaces a member whose pod is deleted", async () => {
      await namespace.kubectl("scale", `etcd/${EXAMPLE}`, "--replicas=3");
      await example.settled(3);
      const before = await example.members();
      const [victim = ""] = before.map(({ name }) => name);
      await namespace.kubectl("delete", "pod", victim, "--wait=false");
      const isReplaced = async () => (await example.members()).every(({ name }) => name !== victim);
      await until(isReplaced, { what: "the member to be removed" });
      await example.settled(3);
      const kept = (await example.members()).filter(({ id }) => before.some((member) => member.id === id));
      assert.equal(kept.length, 2);
    });

    test("a pod with a claim returns to it as the same member", async () => {
      await namespace.create(aManifest(CLAIMING, { namespace: namespace.name, claims: true, whenDeleted: "Delete" }));
      await claiming.settled(3);
      const before = await claiming.memberIds();
      const { leader } = await claiming.roles();
      await namespace.kubectl("delete", "pod", leader.metadata.name, "--wait=false");
      await until(
        async () => {
          const pods = await claiming.pods();
          const returned = pods.find(({ metadata }) => metadata.name === leader.metadata.name);
          return returned !== undefined && returned.metadata.uid !== leader.metadata.uid;
        },
        { what: "the pod to return" },
      );
      await claiming.settled(3);
      assert.deepEqual(await claiming.memberIds(), before);
    });

    test("claims of members that are no longer wanted go with them", async () => {
      await namespace.kubectl("scale", `etcd/${CLAIMING}`, "--replicas=1");
      await claiming.settled(1);
      await until(async () => (await claiming.claims()).length === 1, { what: "the other claims to be gone" });
    });

    test("no write that a client was promised is lost on the way", async () => {
      await witness.writesAgain();
      await example.verify(witness);
    });

    test("when all is as the spec says, it watches and renews its Lease, and nothing else", async () => {
      const since = Date.now();
      const passes = (cluster: string) =>
        operator.lines().filter(({ msg, time, cluster: key }) => {
          const isOf = msg === "pass ended" && key === `${namespace.name}/${cluster}`;
          return isOf && Date.parse(String(time)) >= since;
        }).length;
      const isOver = () => Date.now() - since >= IDLE_MS && [EXAMPLE, CLAIMING].every((name) => passes(name) >= 1);
      await until(isOver, { what: "a look at each", timeoutMs: 120_000, everyMs: 1_000 });
      const requests = await requestsOfOperator(since);
      const others = requests.filter(({ verb, resource }) => verb !== "watch" && !isRenewal(verb, resource));
      assert.deepEqual(others, []);
      assert.ok(
        requests.some(({ verb, resource }) => isRenewal(verb, resource)),
        "it leads all the while",
      );
    });

    test("it finds its way to members with TLS by the Secret that their cluster names", async () => {
      await createTlsCluster(namespace, "encrypted");
      await namespace.kubectl("wait", "--for=condition=Available", "etcd/encrypted", "--timeout=120s");
      assert.deepEqual(await namespace.columnsOf("encrypted"), ["1/1", "3.5.16", "Ready"]);
    });

    test("a cluster of coreos/etcd-operator is taken over as it is", async () => {
      const cluster = clusterNamed("legacy");
      await namespace.create(aManifest("legacy", { namespace: namespace.name, size: 1, paused: true }));
      const object = await cluster.get();
      for (const service of oldServices(object)) await machine.client.create(resources.services, service);
      const pod = oldPod(object, { name: "legacy-4vdq2w7kxm", peers: [], state: "new" });
      const { metadata } = await machine.client.create(resources.pods, pod);
      await namespace.kubectl("wait", "--for=condition=Ready", `pod/${metadata.name}`, "--timeout=60s");
      await cluster.changeSpec({ paused: false });
      await cluster.settled(1);
      assert.deepEqual(await cluster.podUids(), [metadata.uid]);
    });

    test("nothing is left of clusters that are deleted", async () => {
      await namespace.kubectl("delete", "etcd", "--all");
      const names = [EXAMPLE, CLAIMING, "encrypted", "legacy"];
      await Promise.all(names.map((name) => clusterNamed(name).isGone()));
    });

    test("it met no 403, and asked for nothing that the role does not name", async () => {
      await namespace.stopOperators();
      const requests = await requestsOfOperator();
      assert.deepEqual(
        requests.filter(({ code }) => code === 401 || code === 403),
        [],
      );
      const granted = rightsGranted(await namespace.rules());
      const used = rightsUsed(requests);
      assert.deepEqual(
        used.filter((right) => !granted.includes(right)),
        [],
      );
      assert.ok(used.includes("create pods"), "the audit log holds what the operator did");
      const unused = granted.filter((right) => !used.includes(right));
      process.stdout.write(
        `  ${requests.length} requests used ${used.length} of ${granted.length} rights; never: ${unused.join(", ")}\n`,
      );
      const explained = Object.keys(RIGHTS_USED_ELSEWHERE);
      assert.deepEqual(
        unused.filter((right) => !explained.includes(right)),
        [],
        "a right that no run needs has to go from the role",
      );
      assert.deepEqual(
        explained.filter((right) => !granted.includes(right)),
        [],
        "a right that is not granted needs no reason",
      );
    });

    test("a 403 would have shown", async () => {
      const token = await machine.kube.tokenFor({ namespace: namespace.name, serviceAccount: "etcd-operator" });
      const rest = await machine.kube.rest({ kind: "token", token });
      assert.equal((await rest("GET", `/api/v1/namespaces/${namespace.name}/secrets`)).code, 403);
      assert.deepEqual(
        (await requestsOfOperator())
          .filter(({ code }) => code === 403)
          .map(({ verb, resource }) => `${verb} ${resource}`),
        ["list secrets"],
      );
    });
  },
);

async function requestsOfOperator(sinceMs = 0): Promise<readonly AuditedRequest[]> {
  return (await machine.audited()).filter(({ user, atMs }) => user === namespace.user && atMs >= sinceMs);
}

function isRenewal(verb: string, resource: string): boolean {
  return resource === "coordination.k8s.io/leases" && (verb === "update" || verb === "get");
}
