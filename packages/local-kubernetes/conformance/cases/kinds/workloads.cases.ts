import { until } from "@etcd-operator/testing/until.ts";
import { describe, expect, test } from "vitest";
import { needsControllers, type Scope, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

/** Pods that no scheduler and no kubelet here cares for: their status is what a case says. */
export const unscheduled = { schedulerName: "none", containers: [{ name: "main", image: "none" }] };

/** What the controllers of Deployments and ReplicaSets do, as seen through the API. */
export function workloadCases(target: () => ConformanceTarget): void {
  describe("Deployments", () => {
    const at = scopeOf(target);

    test("make a ReplicaSet and pods that carry the hash of their template", async (context) => {
      needsControllers(context, target());
      await at().create("apps/v1/deployments", aDeployment("chain", { replicas: 2 }));
      const [pod] = await podsOf(at(), "chain", 2);
      const { items } = await listed(at(), "apps/v1/replicasets", "app=chain");
      const [set] = items;
      const hash = set?.metadata?.labels?.["pod-template-hash"];
      expect(set?.metadata).toMatchObject({
        name: `chain-${hash}`,
        labels: { app: "chain", "pod-template-hash": hash },
        ownerReferences: [{ kind: "Deployment", name: "chain", controller: true, blockOwnerDeletion: true }],
      });
      expect(set?.spec).toMatchObject({ selector: { matchLabels: { app: "chain", "pod-template-hash": hash } } });
      expect(pod?.metadata?.name).toMatch(new RegExp(`^chain-${hash}-[a-z0-9]{5}$`));
      expect(pod?.metadata).toMatchObject({
        generateName: `chain-${hash}-`,
        labels: { app: "chain", "pod-template-hash": hash },
        ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: `chain-${hash}`, controller: true }],
      });
    });

    test("tell what is available", async (context) => {
      needsControllers(context, target());
      await at().create("apps/v1/deployments", aDeployment("told", { replicas: 2 }));
      const pods = await podsOf(at(), "told", 2);
      const started = await statusOf(
        at(),
        "told",
        (status) => status.unavailableReplicas === 2 && status.updatedReplicas === 2,
      );
      expect(started).toMatchObject({ observedGeneration: 1, replicas: 2 });
      const unavailable = ["Available", "False", "MinimumReplicasUnavailable"];
      expect(words(started)).toContainEqual([...unavailable, "Deployment does not have minimum availability."]);
      await makeReady(at(), pods);
      const done = await statusOf(at(), "told", (status) => status.availableReplicas === 2);
      expect(done).toMatchObject({ replicas: 2, readyReplicas: 2, updatedReplicas: 2 });
      expect(done.unavailableReplicas).toBeUndefined();
      const available = ["Available", "True", "MinimumReplicasAvailable"];
      expect(words(done)).toContainEqual([...available, "Deployment has minimum availability."]);
      const printed = await at().kubectlOk(["get", "deployment", "told", "--no-headers"]);
      expect(printed).toMatch(/^told +2\/2 +2 +2 +\d+s/);
    });

    test("are rolled out and followed by kubectl", async (context) => {
      needsControllers(context, target());
      await at().create("apps/v1/deployments", aDeployment("rolled", { replicas: 1 }));
      await makeReady(at(), await podsOf(at(), "rolled", 1));
      await statusOf(at(), "rolled", (status) => status.availableReplicas === 1);
      await at().kubectlOk(["set", "image", "deployment/rolled", "main=other"]);
      const followed = at().kubectl(["rollout", "status", "deployment/rolled", "--timeout=30s"]);
      await makeReady(at(), await podsOf(at(), "rolled", 2));
      await statusOf(at(), "rolled", ({ updatedReplicas, availableReplicas, replicas }) => {
        return updatedReplicas === 1 && availableReplicas === 1 && replicas === 1;
      });
      expect((await followed).stdout).toMatch(/deployment "rolled" successfully rolled out/);
    });

    test("of the strategy Recreate make no new pod while an old one is there", async (context) => {
      needsControllers(context, target());
      await at().create(
        "apps/v1/deployments",
        aDeployment("recreated", { replicas: 1, strategy: { type: "Recreate" } }),
      );
      const [old] = await podsOf(at(), "recreated", 1);
      const name = old?.metadata?.name ?? "";
      // Held, so that it is seen on its way out.
      await at().rest("PATCH", at().path("pods", name), { metadata: { finalizers: ["example.com/hold"] } });
      await at().kubectlOk(["rollout", "restart", "deployment/recreated"]);
      await until(async () => (await at().get("pods", name)).metadata?.deletionTimestamp, {
        what: "the old pod to go",
      });
      expect((await listed(at(), "pods", "app=recreated")).items).toHaveLength(1);
      await at().rest("PATCH", at().path("pods", name), { metadata: { finalizers: null } });
      const fresh = async () => {
        const { items } = await listed(at(), "pods", "app=recreated");
        return items.length === 1 && items[0]?.metadata?.name !== name;
      };
      await until(fresh, { what: "the new pod" });
    });
  });

  describe("ReplicaSets", () => {
    const at = scopeOf(target);

    test("delete first what is not ready", async (context) => {
      needsControllers(context, target());
      await at().create("apps/v1/replicasets", aDeployment("fewer", { replicas: 3 }));
      const pods = await podsOf(at(), "fewer", 3);
      const [kept] = pods;
      await makeReady(at(), kept ? [kept] : []);
      await until(async () => ((await at().get("apps/v1/replicasets", "fewer")).status as Status).readyReplicas === 1, {
        what: "the ready one to be counted",
      });
      await at().kubectlOk(["scale", "replicaset/fewer", "--replicas=1"]);
      const [left] = await podsOf(at(), "fewer", 1);
      expect(left?.metadata?.name).toBe(kept?.metadata?.name);
    });

    test("tell why they cannot make pods", async (context) => {
      needsControllers(context, target());
      const broken = aDeployment("broken", { replicas: 1 });
      const template = {
        metadata: { labels: { app: "broken" } },
        spec: { ...unscheduled, serviceAccountName: "missing" },
      };
      await at().create("apps/v1/replicasets", { ...broken, spec: { ...(broken.spec as object), template } });
      const reasons = () => eventsAbout(at(), "broken");
      const isTold = async () => (await reasons()).some((it) => /^FailedCreate: .*"missing" not found/.test(it));
      await until(isTold, { what: "the event" });
    });
  });
}

interface Status {
  readonly conditions?: { type: string; status: string; reason: string; message: string }[];
  readonly [field: string]: unknown;
}

function aDeployment(name: string, spec: Readonly<Record<string, unknown>>): KubeObject {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: unscheduled }, ...spec },
  };
}

export async function listed(at: Scope, resource: string, labelSelector: string): Promise<{ items: KubeObject[] }> {
  const path = `${at.path(resource)}?labelSelector=${encodeURIComponent(labelSelector)}`;
  return (await at.rest<{ items: KubeObject[] }>("GET", path)).body;
}

/** The pods with a label that stay; waits for their number. */
async function podsOf(at: Scope, app: string, count: number): Promise<KubeObject[]> {
  const look = async () => {
    const { items } = await listed(at, "pods", `app=${app}`);
    const staying = items.filter(({ metadata }) => !metadata?.deletionTimestamp);
    return staying.length === count ? staying : undefined;
  };
  return until(look, { what: `${count} pods of ${app}` });
}

/** Does what a kubelet would: there is none. */
async function makeReady(at: Scope, pods: readonly KubeObject[]): Promise<void> {
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const status = { phase: "Running", conditions: [{ type: "Ready", status: "True", lastTransitionTime }] };
  for (const { metadata } of pods) await at.rest("PATCH", at.path("pods", `${metadata?.name}/status`), { status });
}

async function statusOf(at: Scope, name: string, is: (status: Status) => boolean): Promise<Status> {
  const look = async () => {
    const { status = {} } = (await at.get("apps/v1/deployments", name)) as { status?: Status };
    return is(status) ? status : undefined;
  };
  return until(look, { what: `the status of ${name}` });
}

export function words({ conditions = [] }: Status): string[][] {
  const all = conditions.map(({ type, status, reason, message }) => [type, status, reason, message]);
  return all.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
}

async function eventsAbout(at: Scope, name: string): Promise<string[]> {
  const path = `${at.path("events")}?fieldSelector=involvedObject.name%3D${name}`;
  const { items } = (await at.rest<{ items: KubeObject[] }>("GET", path)).body;
  return items.map(({ reason, message }) => `${reason}: ${message}`);
}
