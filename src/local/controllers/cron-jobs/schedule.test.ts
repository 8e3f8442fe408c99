import assert from "node:assert/strict";
import { test } from "vitest";
import { isTimeZone, scheduleOf } from "./schedule.ts";

const after = (text: string, time: string, zone?: string) => {
  const next = scheduleOf(text, zone)?.next(Date.parse(time));
  return next === undefined ? undefined : new Date(next).toISOString();
};

test.each([
  ["*/5 * * * *", "2030-01-01T00:02:03Z", "2030-01-01T00:05:00.000Z"],
  ["? ? 1 * ?", "2030-01-02T00:00:00Z", "2030-02-01T00:00:00.000Z"],
  ["0 3 * * MON-FRI", "2030-01-05T00:00:00Z", "2030-01-07T03:00:00.000Z"],
  ["@hourly", "2030-01-01T00:00:00Z", "2030-01-01T01:00:00.000Z"],
  ["@daily", "2030-01-01T00:00:00Z", "2030-01-02T00:00:00.000Z"],
  ["@every 1h30m", "2030-01-01T00:00:10.5Z", "2030-01-01T01:30:10.000Z"],
])("%s after %s is %s", (text, time, expected) => {
  assert.equal(after(text, time), expected);
});

test("a schedule has the hours of its time zone, also when they change", () => {
  assert.equal(after("0 3 * * *", "2030-01-01T00:00:00Z", "Asia/Tokyo"), "2030-01-01T18:00:00.000Z");
  assert.equal(after("0 3 * * *", "2030-07-01T03:00:00Z", "Europe/Berlin"), "2030-07-02T01:00:00.000Z");
});

test("what is none, or never comes, is told apart from what does", () => {
  assert.equal(scheduleOf("61 * * * *"), undefined);
  assert.equal(scheduleOf("@every soon"), undefined);
  assert.equal(after("0 0 31 2 *", "2030-01-01T00:00:00Z"), undefined);
  assert.deepEqual([isTimeZone("Europe/Berlin"), isTimeZone("No/Where")], [true, false]);
});
