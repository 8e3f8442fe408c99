import assert from "node:assert/strict";
import { stored } from "@etcd-operator/testing/local/stored-objects.ts";
import type { CronJob, CronJobSpec } from "kubernetes-types/batch/v1.d.ts";
import { describe, test } from "vitest";
import { timesOf } from "./cron-jobs.ts";

const at = (time: string) => Date.parse(`2030-01-01T${time}Z`);
const CREATED = "2030-01-01T00:00:00Z";

function times(nowMs: number, lastScheduleTime?: string, spec: Partial<CronJobSpec> = {}) {
  const cronJob = stored<CronJob>("nightly", {
    metadata: { creationTimestamp: CREATED },
    spec: { schedule: "0 * * * *", jobTemplate: {}, ...spec },
    status: lastScheduleTime ? { lastScheduleTime } : {},
  });
  return timesOf(cronJob, nowMs);
}

describe("a CronJob", () => {
  test("starts nothing before its time, and knows when that is", () => {
    assert.deepEqual(times(at("00:30:00")), { dueMs: undefined, nextMs: at("01:00:00") });
  });

  test("starts a Job at its time, and only once", () => {
    for (const now of ["01:00:00", "01:00:00.100", "01:30:00"]) {
      assert.equal(times(at(now)).dueMs, at("01:00:00"), now);
    }
    assert.equal(times(at("00:59:59.999")).dueMs, undefined);
    assert.equal(times(at("01:30:00"), "2030-01-01T01:00:00Z").dueMs, undefined);
  });

  test("starts one for many moments that were missed, the last of them", () => {
    assert.equal(times(at("05:30:00"), "2030-01-01T01:00:00Z").dueMs, at("05:00:00"));
  });

  test("keeps to its time zone", () => {
    const spec = { schedule: "0 9 * * *", timeZone: "Asia/Tokyo" };
    assert.equal(times(at("23:00:00"), undefined, spec).nextMs, Date.parse("2030-01-02T00:00:00Z"));
  });

  test("that is suspended, or asks for an interval, has no times", () => {
    assert.deepEqual(times(at("05:30:00"), undefined, { suspend: true }), {});
    assert.deepEqual(times(at("05:30:00"), undefined, { schedule: "@every 1h" }), {});
  });
});
