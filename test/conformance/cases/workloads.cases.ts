import { describe, expect, test } from "vitest";
import { until } from "../../support/kube/until.ts";
import { needsControllers, type Scope, scopeOf } from "../scope.ts";
import type { ConformanceTarget, KubeObject } from "../target.ts";

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
        annotations: {
          "deployment.kubernetes.io/revision": "1",
          "deployment.kubernetes.io/desired-replicas": "2",
          "deployment.kubernetes.io/max-replicas": "3",
        },
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

    test("tell what is available, and how they progress", async (context) => {
      needsControllers(context, target());
      await at().create("apps/v1/deployments", aDeployment("told", { replicas: 2 }));
      const pods = await podsOf(at(), "told", 2);
      const started = await statusOf(
        at(),
        "told",
        (status) => status.unavailableReplicas === 2 && status.updatedReplicas === 2,
      );
      expect(started).toMatchObject({ observedGeneration: 1, replicas: 2 });
      const { items } = await listed(at(), "apps/v1/replicasets", "app=told");
      const name = items[0]?.metadata?.name;
      expect(words(started)).toEqual([
        ["Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability."],
        ["Progressing", "True", "ReplicaSetUpdated", `ReplicaSet "${name}" is progressing.`],
      ]);
      await makeReady(at(), pods);
      const done = await statusOf(at(), "told", (status) =>
        words(status).some((it) => it[2] === "NewReplicaSetAvailable"),
      );
      expect(done).toMatchObject({ replicas: 2, readyReplicas: 2, availableReplicas: 2, updatedReplicas: 2 });
      expect(done.unavailableReplicas).toBeUndefined();
      expect(words(done)).toEqual([
        ["Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability."],
        ["Progressing", "True", "NewReplicaSetAvailable", `ReplicaSet "${name}" has successfully progressed.`],
      ]);
      const reasons = () => eventsAbout(at(), "told");
      await until(
        async () => (await reasons()).includes(`ScalingReplicaSet: Scaled up replica set ${name} from 0 to 2`),
        {
          what: "the event",
        },
      );
      const printed = await at().kubectlOk(["get", "deployment", "told", "--no-headers"]);
      expect(printed).toMatch(/^told +2\/2 +2 +2 +\d+s/);
    });

    test("are rolled out, followed and rolled back by kubectl", async (context) => {
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
      expect(await at().kubectlOk(["rollout", "history", "deployment/rolled"])).toMatch(/REVISION.*\n1 .*\n2 /);
      await at().kubectlOk(["rollout", "undo", "deployment/rolled"]);
      const revision = async () => (await at().get("apps/v1/deployments", "rolled")).metadata?.annotations;
      await until(async () => (await revision())?.["deployment.kubernetes.io/revision"] === "3", {
        what: "revision 3",
      });
      const { items } = await listed(at(), "apps/v1/replicasets", "app=rolled");
      const back = items.find(({ metadata }) => metadata?.annotations?.["deployment.kubernetes.io/revision"] === "3");
      expect(back?.metadata?.annotations?.["deployment.kubernetes.io/revision-history"]).toBe("1");
    });

    test("say when they do not progress in time", async (context) => {
      needsControllers(context, target());
      await at().create("apps/v1/deployments", aDeployment("late", { replicas: 1, progressDeadlineSeconds: 1 }));
      const late = await statusOf(at(), "late", (status) =>
        words(status).some((it) => it[2] === "ProgressDeadlineExceeded"),
      );
      const { items } = await listed(at(), "apps/v1/replicasets", "app=late");
      const message = `ReplicaSet "${items[0]?.metadata?.name}" has timed out progressing.`;
      expect(words(late)).toContainEqual(["Progressing", "False", "ProgressDeadlineExceeded", message]);
    });

    test("are paused and resumed, and follow their size meanwhile", async (context) => {
      needsControllers(context, target());
      await at().create("apps/v1/deployments", aDeployment("held", { replicas: 1 }));
      await podsOf(at(), "held", 1);
      await at().kubectlOk(["rollout", "pause", "deployment/held"]);
      const paused = await statusOf(at(), "held", (status) => words(status).some((it) => it[2] === "DeploymentPaused"));
      expect(words(paused)).toContainEqual(["Progressing", "Unknown", "DeploymentPaused", "Deployment is paused"]);
      await at().kubectlOk(["set", "image", "deployment/held", "main=other"]);
      await at().kubectlOk(["scale", "deployment/held", "--replicas=3"]);
      const pods = await podsOf(at(), "held", 3);
      expect(new Set(pods.map(imageOf))).toEqual(new Set(["none"]));
      await at().kubectlOk(["rollout", "resume", "deployment/held"]);
      const images = async () => (await listed(at(), "pods", "app=held")).items.map(imageOf);
      await until(async () => (await images()).includes("other"), { what: "a pod of the new template" });
    });

    test("keep as many old ReplicaSets as they are told to", async (context) => {
      needsControllers(context, target());
      await at().create("apps/v1/deployments", aDeployment("short", { replicas: 0, revisionHistoryLimit: 1 }));
      for (const revision of [1, 2, 3]) {
        const isThere = async () => {
          const { metadata, status } = await at().get("apps/v1/deployments", "short");
          const { observedGeneration } = (status ?? {}) as Status;
          const is = metadata?.annotations?.["deployment.kubernetes.io/revision"];
          return is === String(revision) && observedGeneration === metadata?.generation;
        };
        await until(isThere, { what: `revision ${revision}` });
        if (revision < 3) await at().kubectlOk(["set", "image", "deployment/short", `main=image-${revision}`]);
      }
      const left = async () => (await listed(at(), "apps/v1/replicasets", "app=short")).items.length === 2;
      await until(left, { what: "the oldest to go" });
    });

    test("of the strategy Recreate make no new pod while an old one is there", async (context) => {
      needsControllers(context, target());
      await at().create("apps/v1/deployments", aDeployment("anew", { replicas: 1, strategy: { type: "Recreate" } }));
      const [old] = await podsOf(at(), "anew", 1);
      const name = old?.metadata?.name ?? "";
      // Held, so that it is seen on its way out.
      await at().rest("PATCH", at().path("pods", name), { metadata: { finalizers: ["example.com/hold"] } });
      await at().kubectlOk(["rollout", "restart", "deployment/anew"]);
      await until(async () => (await at().get("pods", name)).metadata?.deletionTimestamp, {
        what: "the old pod to go",
      });
      expect((await listed(at(), "pods", "app=anew")).items).toHaveLength(1);
      await at().rest("PATCH", at().path("pods", name), { metadata: { finalizers: null } });
      const fresh = async () => {
        const { items } = await listed(at(), "pods", "app=anew");
        return items.length === 1 && items[0]?.metadata?.name !== name;
      };
      await until(fresh, { what: "the new pod" });
    });
  });

  describe("ReplicaSets", () => {
    const at = scopeOf(target);

    test("take in pods that fit, and let go those that do not fit any more", async (context) => {
      needsControllers(context, target());
      await at().create("pods", { metadata: { name: "stray", labels: { app: "few" } }, spec: unscheduled });
      // Ready, so that it stays also where the controller makes a pod before it has seen this one.
      await makeReady(at(), [await at().get("pods", "stray")]);
      await at().create("apps/v1/replicasets", { ...aDeployment("few", { replicas: 1 }) });
      const owner = async () => (await at().get("pods", "stray")).metadata?.ownerReferences;
      await until(owner, { what: "the pod to be taken in" });
      expect(await owner()).toMatchObject([
        { kind: "ReplicaSet", name: "few", controller: true, blockOwnerDeletion: true },
      ]);
      await at().rest("PATCH", at().path("pods", "stray"), { metadata: { labels: { app: "other" } } });
      await until(async () => (await owner()) === undefined, { what: "the pod to be let go" });
      await podsOf(at(), "few", 1);
    });

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
        spec: { ...unscheduled, serviceAccountName: "nobody" },
      };
      await at().create("apps/v1/replicasets", { ...broken, spec: { ...(broken.spec as object), template } });
      const condition = async () =>
        ((await at().get("apps/v1/replicasets", "broken")).status as Status).conditions?.[0];
      await until(condition, { what: "the condition" });
      expect(await condition()).toMatchObject({ type: "ReplicaFailure", status: "True", reason: "FailedCreate" });
      expect((await condition())?.message).toMatch(/serviceaccount "nobody" not found$/);
      const reasons = () => eventsAbout(at(), "broken");
      await until(async () => (await reasons()).some((it) => it.startsWith("FailedCreate: Error creating: pods ")), {
        what: "the event",
      });
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
export async function makeReady(at: Scope, pods: readonly KubeObject[]): Promise<void> {
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

function imageOf({ spec }: KubeObject): string | undefined {
  return (spec as { containers: { image: string }[] }).containers[0]?.image;
}

export async function eventsAbout(at: Scope, name: string): Promise<string[]> {
  const path = `${at.path("events")}?fieldSelector=involvedObject.name%3D${name}`;
  const { items } = (await at.rest<{ items: KubeObject[] }>("GET", path)).body;
  return items.map(({ reason, message }) => `${reason}: ${message}`);
}
