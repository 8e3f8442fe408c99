import assert from "node:assert/strict";
import type { CronJob, CronJobSpec, CronJobStatus, Job } from "kubernetes-types/batch/v1.d.ts";
import { describe, test } from "vitest";
import { stored } from "../../../../test/support/local/stored-objects.ts";
import { planCronJob } from "./plan-cron-job.ts";
import { scheduledJob } from "./scheduled-job.ts";

const at = (time: string) => Date.parse(`2030-01-01T${time}Z`);
const aCronJob = (spec: Partial<CronJobSpec> = {}, status: CronJobStatus = {}) =>
  stored<CronJob>("nightly", {
    spec: {
      schedule: "0 * * * *",
      jobTemplate: { spec: { template: {} } },
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      ...spec,
    },
    status,
  });
const aJob = (name: string, ended?: "Complete" | "Failed", startTime = "2030-01-01T00:00:00Z") =>
  stored<Job>(name, {
    status: { startTime, completionTime: startTime, ...(ended && { conditions: [{ type: ended, status: "True" }] }) },
  });
const active = (...names: string[]) => names.map((name) => ({ name, uid: `uid-${name}`, namespace: "ns" }));
const reasons = ({ events }: ReturnType<typeof planCronJob>) => events.map(({ reason }) => reason);

describe("a CronJob starts", () => {
  test("nothing before its time, and knows when that is", () => {
    const plan = planCronJob(aCronJob(), [], at("00:30:00"));
    assert.deepEqual([plan.startAtMs, plan.againInMs], [undefined, 1_800_100]);
  });

  test("a Job when its time has come, once", () => {
    assert.equal(planCronJob(aCronJob(), [], at("01:00:01")).startAtMs, at("01:00:00"));
    const started = aCronJob({}, { lastScheduleTime: "2030-01-01T01:00:00Z" });
    assert.equal(planCronJob(started, [], at("01:00:01")).startAtMs, undefined);
  });

  test("one for all that it missed, the last, and complains when these are very many", () => {
    const few = planCronJob(aCronJob(), [], at("05:10:00"));
    assert.deepEqual([few.startAtMs, reasons(few)], [at("05:00:00"), []]);
    const many = planCronJob(aCronJob({ schedule: "* * * * *" }), [], at("05:10:30"));
    assert.deepEqual([many.startAtMs, reasons(many)], [at("05:10:00"), ["TooManyMissedTimes"]]);
  });

  test("none that is later than its deadline", () => {
    const strict = aCronJob({ startingDeadlineSeconds: 60 });
    assert.equal(planCronJob(strict, [], at("01:00:30")).startAtMs, at("01:00:00"));
    assert.equal(planCronJob(strict, [], at("01:10:00")).startAtMs, undefined);
  });

  test("none while suspended, going, or with a schedule that cannot be read", () => {
    assert.equal(planCronJob(aCronJob({ suspend: true }), [], at("01:00:01")).startAtMs, undefined);
    const broken = planCronJob(aCronJob({ schedule: "never" }), [], at("01:00:01"));
    assert.deepEqual([broken.startAtMs, reasons(broken)], [undefined, ["UnparseableSchedule"]]);
    const nowhere = planCronJob(aCronJob({ timeZone: "No/Where" }), [], at("01:00:01"));
    assert.deepEqual([nowhere.startAtMs, reasons(nowhere)], [undefined, ["UnknownTimeZone"]]);
  });
});

describe("while a Job runs", () => {
  const running = [aJob("running")];
  const plan = (concurrencyPolicy: string) =>
    planCronJob(aCronJob({ concurrencyPolicy }, { active: active("running") }), running, at("01:00:01"));

  test("another one starts beside it, where that is allowed", () => {
    assert.deepEqual([plan("Allow").startAtMs, plan("Allow").toDelete], [at("01:00:00"), []]);
  });

  test("none starts, where that is forbidden", () => {
    assert.deepEqual([plan("Forbid").startAtMs, reasons(plan("Forbid"))], [undefined, ["JobAlreadyActive"]]);
  });

  test("it makes way, where it is to be replaced", () => {
    assert.deepEqual([plan("Replace").startAtMs, plan("Replace").toDelete], [at("01:00:00"), running]);
  });
});

test("what ended or is gone is no longer active, and the last success is noted", () => {
  const jobs = [aJob("done", "Complete", "2030-01-01T00:10:00Z"), aJob("by-hand")];
  const plan = planCronJob(aCronJob({}, { active: active("done", "gone") }), jobs, at("00:30:00"));
  assert.deepEqual(plan.status.active, []);
  assert.equal(plan.status.lastSuccessfulTime, "2030-01-01T00:10:00Z");
  assert.deepEqual(reasons(plan), ["SawCompletedJob", "MissingJob", "UnexpectedJob"]);
});

test("of the Jobs that ended the oldest go", () => {
  const hours = ["00", "01", "02", "03", "04"];
  const done = hours.map((hour) => aJob(`done-${hour}`, "Complete", `2030-01-01T${hour}:00:00Z`));
  const failed = hours.map((hour) => aJob(`failed-${hour}`, "Failed", `2030-01-01T${hour}:00:00Z`));
  const { toDelete } = planCronJob(aCronJob({ suspend: true }), [...done, ...failed, aJob("running")], at("05:00:00"));
  assert.deepEqual(
    toDelete.map(({ metadata }) => metadata.name),
    ["done-00", "done-01", "failed-00", "failed-01", "failed-02", "failed-03"],
  );
});

test("a Job is named after its minute, and says its moment in the CronJob's time zone", () => {
  const { metadata } = scheduledJob(aCronJob({ timeZone: "America/New_York" }), at("01:00:00"));
  assert.equal(metadata?.name, `nightly-${at("01:00:00") / 60_000}`);
  assert.deepEqual(metadata?.annotations, {
    "batch.kubernetes.io/cronjob-scheduled-timestamp": "2029-12-31T20:00:00-05:00",
  });
});
