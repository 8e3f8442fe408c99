import assert from "node:assert/strict";
import { test } from "vitest";
import { scheduleError } from "./cron-schedule.ts";

test.each(["* * * * *", "0-59/5 1,2 ? JAN-dec sun", "*/15 0 1 1 0", "@midnight", "@every 1h30m10s", "@every 1.5h"])(
  "%s is a schedule",
  (text) => assert.equal(scheduleError(text), undefined),
);

test.each([
  ["* * * * * *", "expected exactly 5 fields, found 6: [* * * * * *]"],
  ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
  ["1/2/3 * * * *", "too many slashes: 1/2/3"],
  ["* 24 * * *", "end of range (24) above maximum (23): 24"],
  ["@every 5", 'failed to parse duration @every 5: time: missing unit in duration "5"'],
])("%s is none, because: %s", (text, why) => assert.equal(scheduleError(text), why));
