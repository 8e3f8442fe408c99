import assert from "node:assert/strict";
import type { Deployment } from "kubernetes-types/apps/v1.d.ts";
import type { Job, JobSpec } from "kubernetes-types/batch/v1.d.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { until } from "../../../test/support/kube/until.ts";
import { ControllersUnderTest, serversWithoutControllers } from "../../../test/support/local/controllers.ts";
import { PretendedKubelet } from "../../../test/support/local/pretended-kubelet.ts";
import { titleWith } from "../../../test/support/skipped.ts";
import { resources } from "../../kubernetes/resources.ts";

// Local mode's own API server has the conformance cases; here the status that we write is judged by the real one.
for (const { name: server, start, lack } of serversWithoutControllers.slice(1)) {
  describe.skipIf(lack)(titleWith(`on ${server}`, lack), () => {
    let on: ControllersUnderTest;
    beforeAll(async () => {
      on = await ControllersUnderTest.start(start);
    });
    afterAll(() => on?.stop());

    async function aPlace() {
      const namespace = await on.aNamespace();
      const kubelet = new PretendedKubelet(on.client, namespace);
      const reasons = async () => {
        const { items } = await on.client.list(resources.events, { namespace });
        return items.map(({ reason, message }) => `${reason}: ${message}`);
      };
      return { namespace, kubelet, reasons };
    }

    test("a Deployment rolls a new template out, keeps enough pods, and goes back when asked to", async () => {
      const { namespace, kubelet, reasons } = await aPlace();
      const ref = { namespace, name: "web" };
      await on.client.create(resources.deployments, aDeployment(ref, { replicas: 3 }));
      await kubelet.makeReady(await kubelet.staying(3));
      const first = await on.there(resources.deployments, ref, ({ status }) => status?.availableReplicas === 3);
      assert.equal(first.metadata.annotations?.["deployment.kubernetes.io/revision"], "1");
      await on.there(resources.deployments, ref, ({ status }) =>
        status?.conditions?.some(({ reason }) => reason === "NewReplicaSetAvailable"),
      );

      const template = { spec: { containers: [{ name: "main", image: "other" }] } };
      await on.client.patch(resources.deployments, ref, { strategic: { spec: { template } } });
      // One more than wanted, and nobody goes before the new one is ready.
      await kubelet.staying(4);
      const isDone = async () => {
        await kubelet.makeReady((await kubelet.pods()).filter(({ metadata }) => !metadata.deletionTimestamp));
        await kubelet.bury();
        const ready = (await kubelet.pods()).filter(({ metadata }) => !metadata.deletionTimestamp);
        assert.ok(ready.length >= 3 && ready.length <= 4, `${ready.length} pods`);
        const { status } = await on.client.get(resources.deployments, ref);
        return status?.updatedReplicas === 3 && status.replicas === 3 && status.availableReplicas === 3;
      };
      await until(isDone, { what: "the rollout", everyMs: 5 });
      const images = (await kubelet.staying(3)).map(({ spec }) => spec?.containers[0]?.image);
      assert.deepEqual(images, ["other", "other", "other"]);

      const back = { spec: { containers: [{ name: "main", image: "none" }] } };
      await on.client.patch(resources.deployments, ref, { strategic: { spec: { template: back } } });
      await until(isDone, { what: "the way back", everyMs: 5 });
      const { items: sets } = await on.client.list(resources.replicaSets, { namespace });
      const revisions = sets.map(({ metadata, spec }) => [
        metadata.annotations?.["deployment.kubernetes.io/revision"],
        metadata.annotations?.["deployment.kubernetes.io/revision-history"],
        spec?.replicas,
      ]);
      assert.deepEqual(revisions.sort(), [
        ["2", undefined, 0],
        ["3", "1", 3],
      ]);
      const told = await until(
        async () => {
          const all = await reasons();
          return all.some((line) => /^ScalingReplicaSet: Scaled down .* from 1 to 0/.test(line)) ? all : undefined;
        },
        { what: "the events" },
      );
      assert.ok(told.some((line) => /^ScalingReplicaSet: Scaled up replica set web-\w+ from 0 to 3$/.test(line)));
      assert.ok(told.some((line) => /^SuccessfulCreate: Created pod: web-\w+-\w+$/.test(line)));
    });

    test("a Deployment is resized, paused and recreated as it asks for", async () => {
      const { namespace, kubelet } = await aPlace();
      const ref = { namespace, name: "web" };
      await on.client.create(resources.deployments, aDeployment(ref, { replicas: 1, strategy: { type: "Recreate" } }));
      const [old] = await kubelet.staying(1);
      await on.client.patch(resources.deployments, ref, { merge: { spec: { replicas: 2 } } });
      await kubelet.makeReady(await kubelet.staying(2));
      await on.client.patch(resources.deployments, ref, { merge: { spec: { paused: true } } });
      await on.there(resources.deployments, ref, ({ status }) =>
        status?.conditions?.some(({ reason }) => reason === "DeploymentPaused"),
      );
      const template = { metadata: { annotations: { restarted: "yes" } } };
      await on.client.patch(resources.deployments, ref, { merge: { spec: { template, replicas: 1 } } });
      await kubelet.staying(1);
      await kubelet.bury();
      await on.client.patch(resources.deployments, ref, { merge: { spec: { paused: false } } });
      await kubelet.staying(0);
      // While an old pod is still going no new one is made.
      assert.ok((await kubelet.pods()).every(({ metadata }) => metadata.deletionTimestamp));
      await kubelet.bury();
      const [fresh] = await kubelet.staying(1);
      assert.equal(fresh?.metadata.annotations?.restarted, "yes");
      assert.notEqual(fresh?.metadata.name, old?.metadata.name);
    });

    test("a ReplicaSet takes in pods that fit and replaces one that is deleted", async () => {
      const { namespace, kubelet } = await aPlace();
      const labels = { app: "web" };
      const spec = { containers: [{ name: "main", image: "none" }] };
      const stray = await on.client.create(resources.pods, { metadata: { namespace, name: "stray", labels }, spec });
      // Ready, so that it stays also where a pod is made before the controller has seen this one.
      await kubelet.makeReady([stray]);
      await on.client.create(resources.replicaSets, {
        metadata: { namespace, name: "web" },
        spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      });
      const pods = await kubelet.staying(2);
      assert.ok(pods.some(({ metadata }) => metadata.name === "stray"));
      await on.there(resources.pods, { namespace, name: "stray" }, ({ metadata }) => metadata.ownerReferences?.[0]);
      await on.client.delete(resources.pods, { namespace, name: "stray" }, { gracePeriodSeconds: 0 });
      await on.there(resources.replicaSets, { namespace, name: "web" }, ({ status }) => status?.replicas === 2);
      const ref = { namespace, name: (await kubelet.staying(2))[0]?.metadata.name ?? "" };
      await on.client.patch(resources.pods, ref, { merge: { metadata: { labels: { app: "other" } } } });
      await on.there(resources.pods, ref, ({ metadata }) => !metadata.ownerReferences);
      await kubelet.staying(2, "app=web");
    });

    test("a Job runs as many pods as it wants, counts each once, and is complete", async () => {
      const { namespace, kubelet, reasons } = await aPlace();
      const ref = { namespace, name: "work" };
      await on.client.create(resources.jobs, aJob(ref, { completions: 3, parallelism: 2 }));
      const [one, two] = await kubelet.staying(2);
      assert.ok(one && two);
      assert.deepEqual(one.metadata.finalizers, ["batch.kubernetes.io/job-tracking"]);
      await on.there(resources.jobs, ref, ({ status }) => status?.active === 2 && status.startTime);
      await kubelet.finish(one, "Succeeded");
      await kubelet.finish(two, "Succeeded");
      const unfinished = async () => (await kubelet.pods()).find(({ status }) => status?.phase === "Pending");
      await kubelet.finish(await until(unfinished, { what: "the third pod", everyMs: 5 }), "Succeeded");
      const { status } = await on.there(resources.jobs, ref, ({ status: is }) => is?.completionTime);
      assert.deepEqual([status?.succeeded, status?.active, status?.ready, status?.terminating], [3, undefined, 0, 0]);
      assert.deepEqual(
        status?.conditions?.map(({ type, status: is, reason, message }) => [type, is, reason, message]),
        ["SuccessCriteriaMet", "Complete"].map((type) => [
          type,
          "True",
          "CompletionsReached",
          "Reached expected number of succeeded pods",
        ]),
      );
      assert.ok((await kubelet.pods()).every(({ metadata }) => !metadata.finalizers));
      await until(async () => (await reasons()).includes("Completed: Job completed"), { what: "the event" });
    });

    test("a Job whose pods fail too often fails, and takes those that still run with it", async () => {
      const { namespace, kubelet } = await aPlace();
      const ref = { namespace, name: "work" };
      await on.client.create(resources.jobs, aJob(ref, { backoffLimit: 0, parallelism: 2, completions: 2 }));
      const [one] = await kubelet.staying(2);
      assert.ok(one);
      await kubelet.finish(one, "Failed");
      await on.there(resources.jobs, ref, ({ status }) => status?.conditions?.[0]?.type === "FailureTarget");
      await kubelet.bury();
      const { status } = await on.there(resources.jobs, ref, ({ status: is }) =>
        is?.conditions?.some(({ type }) => type === "Failed"),
      );
      assert.equal(status?.failed, 2);
      assert.equal(status?.conditions?.[1]?.reason, "BackoffLimitExceeded");
      assert.equal(status?.conditions?.[1]?.message, "Job has reached the specified backoff limit");
    });

    test("a suspended Job has no pods, and an indexed one gives each pod its number", async () => {
      const { namespace, kubelet } = await aPlace();
      const ref = { namespace, name: "work" };
      const spec: JobSpec = { ...aJob(ref).spec, template: { spec: aPodSpec() } };
      const indexed = { ...spec, suspend: true, completionMode: "Indexed", completions: 2, parallelism: 2 };
      await on.client.create(resources.jobs, { metadata: ref, spec: indexed });
      await on.there(resources.jobs, ref, ({ status }) => status?.conditions?.[0]?.reason === "JobSuspended");
      assert.deepEqual(await kubelet.pods(), []);
      await on.client.patch(resources.jobs, ref, { merge: { spec: { suspend: false } } });
      const pods = await kubelet.staying(2);
      const indexes = pods.map(({ metadata }) => metadata.annotations?.["batch.kubernetes.io/job-completion-index"]);
      assert.deepEqual(indexes.sort(), ["0", "1"]);
      await on.client.patch(resources.jobs, ref, { merge: { spec: { suspend: true } } });
      await kubelet.staying(0);
      await kubelet.bury();
      await on.client.patch(resources.jobs, ref, { merge: { spec: { suspend: false } } });
      for (const pod of await kubelet.staying(2)) await kubelet.finish(pod, "Succeeded");
      const { status } = await on.there(resources.jobs, ref, ({ status: is }) => is?.completionTime);
      assert.deepEqual([status?.completedIndexes, status?.succeeded, status?.failed], ["0,1", 2, undefined]);
    });

    test("a Job that is deleted lets its pods go, and one that ended goes when its time is over", async () => {
      const { namespace, kubelet } = await aPlace();
      const ref = { namespace, name: "work" };
      await on.client.create(resources.jobs, aJob(ref));
      await kubelet.staying(1);
      await on.client.delete(resources.jobs, ref, { propagationPolicy: "Background" });
      await kubelet.staying(0);
      await kubelet.bury();
      await until(async () => (await kubelet.pods()).length === 0, { what: "the pod to go", everyMs: 5 });
      const short = { namespace, name: "short" };
      await on.client.create(resources.jobs, aJob(short, { ttlSecondsAfterFinished: 0 }));
      for (const pod of await kubelet.staying(1)) await kubelet.finish(pod, "Succeeded");
      await on.gone(resources.jobs, short);
    });

    test("a CronJob starts a Job for every moment that has come, and one of its Jobs may be started by hand", async () => {
      const { namespace, reasons } = await aPlace();
      const ref = { namespace, name: "nightly" };
      const spec = { schedule: "* * * * *", concurrencyPolicy: "Forbid", jobTemplate: { spec: aJob(ref).spec ?? {} } };
      const made = await on.client.create(resources.cronJobs, { metadata: ref, spec } as never);
      assert.equal(made.spec?.suspend, false);
      // The last run is told to lie in the past, so that nobody has to wait for the next minute.
      const status = { lastScheduleTime: new Date(Date.now() - 90_000).toISOString().replace(/\.\d+Z/, "Z") };
      await on.client.patchStatus(resources.cronJobs, ref, { merge: { status } });
      const after = await on.there(resources.cronJobs, ref, (it) => it.status?.active?.length === 1);
      const [active] = after.status?.active ?? [];
      const minute = Date.parse(after.status?.lastScheduleTime ?? "") / 60_000;
      assert.equal(active?.name, `nightly-${minute}`);
      const job = await on.client.get(resources.jobs, { namespace, name: active?.name ?? "" });
      assert.equal(job.metadata.ownerReferences?.[0]?.name, "nightly");
      assert.equal(
        job.metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"],
        after.status?.lastScheduleTime,
      );
      await until(async () => (await reasons()).includes(`SuccessfulCreate: Created job nightly-${minute}`), {
        what: "the event",
      });
    });

    test("nothing of this was worth a complaint", () => {
      assert.deepEqual(on.logged, []);
    });
  });
}

function aDeployment(
  metadata: { namespace: string; name: string },
  spec: Partial<Deployment["spec"]> = {},
): Deployment {
  const labels = { app: metadata.name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "none" }] } };
  return { metadata, spec: { selector: { matchLabels: labels }, template, ...spec } };
}

function aPodSpec() {
  return { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] };
}

function aJob(metadata: { namespace: string; name: string }, spec: Partial<JobSpec> = {}): Job {
  return { metadata, spec: { template: { spec: aPodSpec() }, ...spec } };
}
