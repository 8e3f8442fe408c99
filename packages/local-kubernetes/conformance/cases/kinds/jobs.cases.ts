import { until } from "@etcd-operator/testing/until.ts";
import { describe, expect, test } from "vitest";
import { needsControllers, type Scope, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";
import { listed, unscheduled, words } from "./workloads.cases.ts";

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
        generateName: "done-",
        labels: { "job-name": "done", "batch.kubernetes.io/job-name": "done" },
        ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "done", controller: true }],
      });
      const running = await statusOf(at(), "done", (status) => status.active === 2);
      expect(running.startTime).toEqual(expect.any(String));
      for (const pod of pods) await finish(at(), pod, "Succeeded");
      await at().kubectlOk(["wait", "--for=condition=complete", "job/done", "--timeout=20s"]);
      const status = await statusOf(at(), "done", () => true);
      expect(status).toMatchObject({ succeeded: 2, completionTime: expect.any(String) });
      expect([status.active, status.failed]).toEqual([undefined, undefined]);
      const reached = ["True", "CompletionsReached", "Reached expected number of succeeded pods"];
      expect(words(status)).toContainEqual(["Complete", ...reached]);
      expect(await at().kubectlOk(["get", "job", "done", "--no-headers"])).toMatch(/^done +Complete +2\/2 +\d+s +\d+s/);
    });

    test("fail when too many pods have failed, and take the others with them", async (context) => {
      needsControllers(context, target());
      await job("failed", { completions: 2, parallelism: 2, backoffLimit: 0 });
      const [pod, other] = await podsOf(at(), "failed", 2);
      if (pod) await finish(at(), pod, "Failed");
      const status = await statusOf(at(), "failed", (it) => words(it).some(([type]) => type === "Failed"));
      const message = "Job has reached the specified backoff limit";
      expect(words(status)).toContainEqual(["Failed", "True", "BackoffLimitExceeded", message]);
      expect(status.completionTime).toBeUndefined();
      const { items } = await listed(at(), "pods", "job-name=failed");
      expect(items.map(({ metadata }) => metadata?.name)).not.toContain(other?.metadata?.name);
    });

    test("fail when they take too long", async (context) => {
      needsControllers(context, target());
      await job("slow", { activeDeadlineSeconds: 1 });
      const status = await statusOf(at(), "slow", (it) => words(it).some(([type]) => type === "Failed"));
      const late = ["True", "DeadlineExceeded", "Job was active longer than specified deadline"];
      expect(words(status)).toContainEqual(["Failed", ...late]);
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
    const setBack = async (name: string, seconds: number) => {
      const lastScheduleTime = new Date(Date.now() - seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");
      await at().rest("PATCH", at().path("batch/v1/cronjobs", `${name}/status`), {
        status: { lastScheduleTime },
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
      expect(metadata).toMatchObject({
        labels: { a: "b" },
        ownerReferences: [{ kind: "CronJob", name: "timed", controller: true }],
      });
      // The next minute may have begun, and the next Job with it: what is shown is what the status says.
      const isShown = async () => {
        const { active = [] } = await cronStatus(at(), "timed");
        const row = await at().kubectlOk(["get", "cronjob", "timed", "--no-headers"]);
        return new RegExp(`^timed +\\* \\* \\* \\* \\* +Asia/Tokyo +False +${active.length} `).test(row);
      };
      await until(isShown, { what: "the row of the CronJob" });
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
