import { describe, expect, test } from "vitest";
import { until } from "../../support/kube/until.ts";
import { needsControllers, type Scope, scopeOf } from "../scope.ts";
import type { ConformanceTarget, KubeObject } from "../target.ts";
import { eventsAbout, listed, unscheduled, words } from "./workloads.cases.ts";

const FINALIZER = "batch.kubernetes.io/job-tracking";
const template = { spec: { ...unscheduled, restartPolicy: "Never" } };

/** What the controllers of Jobs and CronJobs do, as seen through the API. */
export function jobCases(target: () => ConformanceTarget): void {
  describe("Jobs", () => {
    const at = scopeOf(target);
    const job = (name: string, spec: Readonly<Record<string, unknown>> = {}) =>
      at().create("batch/v1/jobs", { metadata: { name }, spec: { template, ...spec } });

    test("are complete when enough pods have succeeded, each counted once", async (context) => {
      needsControllers(context, target());
      await job("done", { completions: 2, parallelism: 2 });
      const pods = await podsOf(at(), "done", 2);
      expect(pods[0]?.metadata).toMatchObject({
        finalizers: [FINALIZER],
        generateName: "done-",
        labels: { "job-name": "done", "batch.kubernetes.io/job-name": "done" },
        ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "done", controller: true }],
      });
      const running = await statusOf(at(), "done", (status) => status.active === 2);
      expect(running).toMatchObject({
        ready: 0,
        terminating: 0,
        uncountedTerminatedPods: {},
        startTime: expect.any(String),
      });
      for (const pod of pods) await finish(at(), pod, "Succeeded");
      await at().kubectlOk(["wait", "--for=condition=complete", "job/done", "--timeout=20s"]);
      const status = await statusOf(at(), "done", () => true);
      expect(status).toMatchObject({ succeeded: 2, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
      expect([status.active, status.failed]).toEqual([undefined, undefined]);
      const reached = ["True", "CompletionsReached", "Reached expected number of succeeded pods"];
      expect(words(status)).toEqual([
        ["Complete", ...reached],
        ["SuccessCriteriaMet", ...reached],
      ]);
      expect(
        (await listed(at(), "pods", "job-name=done")).items.flatMap(({ metadata }) => metadata?.finalizers ?? []),
      ).toEqual([]);
      await told(at(), "done", "Completed: Job completed");
      expect(await at().kubectlOk(["get", "job", "done", "--no-headers"])).toMatch(/^done +Complete +2\/2 +\d+s +\d+s/);
    });

    test("fail when too many pods have failed, and take the others with them", async (context) => {
      needsControllers(context, target());
      await job("failed", { completions: 2, parallelism: 2, backoffLimit: 0 });
      const [pod, other] = await podsOf(at(), "failed", 2);
      if (pod) await finish(at(), pod, "Failed");
      const interim = await statusOf(at(), "failed", (status) => words(status).length > 0);
      // The last in alphabetical order, be it that the job has failed by now.
      expect(words(interim).at(-1)?.slice(0, 3)).toEqual(["FailureTarget", "True", "BackoffLimitExceeded"]);
      await at().rest("DELETE", at().path("pods", other?.metadata?.name), { gracePeriodSeconds: 0 });
      const status = await statusOf(at(), "failed", (it) => words(it).length === 2);
      const message = "Job has reached the specified backoff limit";
      expect(words(status)[0]).toEqual(["Failed", "True", "BackoffLimitExceeded", message]);
      expect(status).toMatchObject({ failed: 2, ready: 0, terminating: 0 });
      expect(status.completionTime).toBeUndefined();
      await told(at(), "failed", `BackoffLimitExceeded: ${message}`);
    });

    test("fail when they take too long", async (context) => {
      needsControllers(context, target());
      await job("slow", { activeDeadlineSeconds: 1 });
      await podsOf(at(), "slow", 1);
      const status = await statusOf(at(), "slow", (it) => words(it).length === 2);
      const late = ["True", "DeadlineExceeded", "Job was active longer than specified deadline"];
      expect(words(status)).toEqual([
        ["Failed", ...late],
        ["FailureTarget", ...late],
      ]);
    });

    test("are suspended and resumed", async (context) => {
      needsControllers(context, target());
      await job("held", { suspend: true });
      const held = await statusOf(at(), "held", (status) => words(status).length === 1);
      expect(words(held)).toEqual([["Suspended", "True", "JobSuspended", "Job suspended"]]);
      expect(held.startTime).toBeUndefined();
      await at().rest("PATCH", at().path("batch/v1/jobs", "held"), { spec: { suspend: false } });
      await podsOf(at(), "held", 1);
      const resumed = await statusOf(at(), "held", (status) => status.active === 1);
      expect(words(resumed)).toEqual([["Suspended", "False", "JobResumed", "Job resumed"]]);
      expect(resumed.startTime).toEqual(expect.any(String));
      await at().rest("PATCH", at().path("batch/v1/jobs", "held"), { spec: { suspend: true } });
      await podsOf(at(), "held", 0);
      const again = await statusOf(at(), "held", (status) => status.active === undefined && status.terminating === 0);
      expect(again.failed).toBeUndefined();
      await told(at(), "held", "Suspended: Job suspended");
      await told(at(), "held", "Resumed: Job resumed");
    });

    test("with indexes give every pod its own", async (context) => {
      needsControllers(context, target());
      await job("numbered", { completionMode: "Indexed", completions: 3, parallelism: 3 });
      const pods = await podsOf(at(), "numbered", 3);
      const key = "batch.kubernetes.io/job-completion-index";
      expect(pods.map(({ metadata }) => metadata?.annotations?.[key]).sort()).toEqual(["0", "1", "2"]);
      const [first] = pods.filter(({ metadata }) => metadata?.labels?.[key] === "0");
      expect(first?.metadata?.name).toMatch(/^numbered-0-[a-z0-9]{5}$/);
      expect(first?.spec).toMatchObject({
        hostname: "numbered-0",
        containers: [
          {
            env: [
              { name: "JOB_COMPLETION_INDEX", valueFrom: { fieldRef: { fieldPath: `metadata.labels['${key}']` } } },
            ],
          },
        ],
      });
      for (const pod of pods) await finish(at(), pod, "Succeeded");
      const status = await statusOf(at(), "numbered", (it) => it.completionTime !== undefined);
      expect(status).toMatchObject({ succeeded: 3, completedIndexes: "0-2" });
    });

    test("go after their time to live", async (context) => {
      needsControllers(context, target());
      await job("brief", { ttlSecondsAfterFinished: 0 });
      for (const pod of await podsOf(at(), "brief", 1)) await finish(at(), pod, "Succeeded");
      await until(async () => (await at().rest("GET", at().path("batch/v1/jobs", "brief"))).code === 404, {
        what: "the Job to go",
      });
    });
  });

  describe("CronJobs", () => {
    const at = scopeOf(target);
    const cronJob = (name: string, spec: Readonly<Record<string, unknown>> = {}) =>
      at().create("batch/v1/cronjobs", {
        metadata: { name },
        spec: { schedule: "* * * * *", jobTemplate: { metadata: { labels: { a: "b" } }, spec: { template } }, ...spec },
      });
    /** As if the last Job had been started a while ago, so that the next is due. */
    const setBack = async (name: string, seconds: number, more: object = {}) => {
      const lastScheduleTime = new Date(Date.now() - seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");
      await at().rest("PATCH", at().path("batch/v1/cronjobs", `${name}/status`), {
        status: { lastScheduleTime, ...more },
      });
    };

    test("start a Job that is named after its minute", async (context) => {
      needsControllers(context, target());
      await cronJob("timed", { timeZone: "Asia/Tokyo" });
      await setBack("timed", 90);
      const active = async () => (await cronStatus(at(), "timed")).active?.[0];
      const reference = await until(active, { what: "the Job" });
      const { lastScheduleTime = "" } = await cronStatus(at(), "timed");
      expect(reference).toMatchObject({
        kind: "Job",
        apiVersion: "batch/v1",
        name: `timed-${Date.parse(lastScheduleTime) / 60_000}`,
      });
      const { metadata } = await at().get("batch/v1/jobs", reference.name);
      const tokyo = new Date(Date.parse(lastScheduleTime) + 9 * 3_600_000).toISOString().replace(".000Z", "+09:00");
      expect(metadata).toMatchObject({
        labels: { a: "b" },
        annotations: { "batch.kubernetes.io/cronjob-scheduled-timestamp": tokyo },
        ownerReferences: [{ kind: "CronJob", name: "timed", controller: true }],
      });
      await told(at(), "timed", `SuccessfulCreate: Created job ${reference.name}`);
      for (const pod of await podsOf(at(), reference.name, 1)) await finish(at(), pod, "Succeeded");
      await told(at(), "timed", `SawCompletedJob: Saw completed job: ${reference.name}, condition: Complete`);
      expect((await cronStatus(at(), "timed")).lastSuccessfulTime).toEqual(expect.any(String));
      // The next minute may have begun, and the next Job with it: what is shown is what the status says.
      const isShown = async () => {
        const { active = [] } = await cronStatus(at(), "timed");
        const row = await at().kubectlOk(["get", "cronjob", "timed", "--no-headers"]);
        return new RegExp(`^timed +\\* \\* \\* \\* \\* +Asia/Tokyo +False +${active.length} `).test(row);
      };
      await until(isShown, { what: "the row of the CronJob" });
    });

    test("start no second Job while one runs, where that is forbidden", async (context) => {
      needsControllers(context, target());
      await cronJob("alone", { concurrencyPolicy: "Forbid", suspend: true });
      await at().kubectlOk(["create", "job", "--from=cronjob/alone", "running"]);
      const { apiVersion, kind, metadata } = await at().get("batch/v1/jobs", "running");
      const { name, namespace, uid } = metadata ?? {};
      await setBack("alone", 90, { active: [{ apiVersion, kind, name, namespace, uid }] });
      await at().rest("PATCH", at().path("batch/v1/cronjobs", "alone"), { spec: { suspend: false } });
      const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
      await told(at(), "alone", `JobAlreadyActive: ${message}`);
    });

    test("are the pattern of Jobs that are started by hand", async (context) => {
      needsControllers(context, target());
      await cronJob("pattern", { suspend: true });
      await at().kubectlOk(["create", "job", "--from=cronjob/pattern", "by-hand"]);
      const made = await at().get("batch/v1/jobs", "by-hand");
      expect(made.metadata).toMatchObject({
        annotations: { "cronjob.kubernetes.io/instantiate": "manual" },
        ownerReferences: [{ kind: "CronJob", name: "pattern" }],
      });
      for (const pod of await podsOf(at(), "by-hand", 1)) await finish(at(), pod, "Succeeded");
      await at().kubectlOk(["wait", "--for=condition=complete", "job/by-hand", "--timeout=20s"]);
    });

    test("keep as many Jobs that ended as they are told to", async (context) => {
      needsControllers(context, target());
      await cronJob("tidy", { suspend: true, successfulJobsHistoryLimit: 0 });
      await at().kubectlOk(["create", "job", "--from=cronjob/tidy", "tidied"]);
      for (const pod of await podsOf(at(), "tidied", 1)) await finish(at(), pod, "Succeeded");
      await until(async () => (await at().rest("GET", at().path("batch/v1/jobs", "tidied"))).code === 404, {
        what: "the Job to go",
      });
      await told(at(), "tidy", "SuccessfulDelete: Deleted job tidied");
    });
  });
}

interface JobStatus {
  readonly conditions?: { type: string; status: string; reason: string; message: string }[];
  readonly [field: string]: unknown;
}

interface CronJobStatus {
  readonly active?: { name: string }[];
  readonly lastScheduleTime?: string;
  readonly lastSuccessfulTime?: string;
}

async function podsOf(at: Scope, job: string, count: number): Promise<KubeObject[]> {
  const look = async () => {
    const { items } = await listed(at, "pods", `job-name=${job}`);
    const staying = items.filter(({ metadata }) => !metadata?.deletionTimestamp);
    return staying.length === count ? staying : undefined;
  };
  return until(look, { what: `${count} pods of ${job}` });
}

/** Does what a kubelet would: there is none. */
async function finish(at: Scope, { metadata }: KubeObject, phase: "Succeeded" | "Failed"): Promise<void> {
  await at.rest("PATCH", at.path("pods", `${metadata?.name}/status`), { status: { phase } });
}

async function statusOf(at: Scope, name: string, is: (status: JobStatus) => boolean): Promise<JobStatus> {
  const look = async () => {
    const { status = {} } = (await at.get("batch/v1/jobs", name)) as { status?: JobStatus };
    return is(status) ? status : undefined;
  };
  return until(look, { what: `the status of ${name}` });
}

async function cronStatus(at: Scope, name: string): Promise<CronJobStatus> {
  return ((await at.get("batch/v1/cronjobs", name)).status ?? {}) as CronJobStatus;
}

async function told(at: Scope, name: string, event: string): Promise<void> {
  await until(async () => (await eventsAbout(at, name)).includes(event), { what: `the event "${event}"` });
}
