import assert from "node:assert/strict";
import { HOUR_MS, MINUTE_MS } from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { describe, test } from "vitest";
import { nextAfter, nextFiringMs, rhythmOf, slotOf } from "./rhythm.ts";

const at = (text: string) => Date.parse(text);
const shown = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());

describe("the rhythm of a backup", () => {
  test.each([
    [undefined, { kind: "once" }],
    [{}, { kind: "once" }],
    [{ backupIntervalInSecond: 0, timeoutInSecond: 5 }, { kind: "once" }],
    [{ backupIntervalInSecond: 90 }, { kind: "interval", everyMs: 90_000 }],
    [{ schedule: "0 3 * * *" }, { kind: "cron", pattern: "0 3 * * *", timeZone: "UTC" }],
    [
      { schedule: "@daily", timeZone: "Asia/Tokyo", backupIntervalInSecond: 0 },
      { kind: "cron", pattern: "@daily", timeZone: "Asia/Tokyo" },
    ],
    // Drills have a schedule of their own.
    [{ drillSchedule: "0 5 * * 0" }, { kind: "once" }],
  ])("%j is %j", (backupPolicy, rhythm) => {
    assert.deepEqual(rhythmOf({ backupPolicy }), rhythm);
  });
});

describe("a schedule", () => {
  test.each([
    ["the next day", "0 3 * * *", "UTC", "2030-01-15T10:00:00Z", "2030-01-16T03:00:00.000Z"],
    ["later the same day", "30 22 * * *", "UTC", "2030-01-15T10:00:00Z", "2030-01-15T22:30:00.000Z"],
    ["not at the very moment that was", "0 3 * * *", "UTC", "2030-01-15T03:00:00Z", "2030-01-16T03:00:00.000Z"],
    ["in its time zone", "0 3 * * *", "Asia/Tokyo", "2030-01-15T10:00:00Z", "2030-01-15T18:00:00.000Z"],
    ["under a macro", "@hourly", "UTC", "2030-01-15T10:00:01Z", "2030-01-15T11:00:00.000Z"],
    ["before summer time", "0 3 * * *", "Europe/Berlin", "2030-03-29T12:00:00Z", "2030-03-30T02:00:00.000Z"],
    ["after the clock went forward", "0 3 * * *", "Europe/Berlin", "2030-03-31T12:00:00Z", "2030-04-01T01:00:00.000Z"],
  ])("fires %s", (_, pattern, zone, after, expected) => {
    assert.equal(shown(nextFiringMs(pattern, zone, at(after))), expected);
  });

  test("whose hour does not exist on the day that the clock goes forward fires on that day all the same", () => {
    const next = nextFiringMs("30 2 * * *", "Europe/Berlin", at("2030-03-30T12:00:00Z"));
    assert.equal(shown(next)?.slice(0, 10), "2030-03-31");
  });

  test("whose hour comes twice when the clock goes back fires once", () => {
    const first = nextFiringMs("30 2 * * *", "Europe/Berlin", at("2030-10-26T12:00:00Z")) ?? 0;
    const second = nextFiringMs("30 2 * * *", "Europe/Berlin", first) ?? 0;
    assert.equal(shown(second)?.slice(0, 10), "2030-10-28");
  });
});

describe("a schedule on the day that the clock goes back", () => {
  function firings(pattern: string, zone: string, from: string, until: string): string[] {
    const found: string[] = [];
    for (let ms = nextFiringMs(pattern, zone, at(from)); ms !== undefined && ms <= at(until); ) {
      found.push(new Date(ms).toISOString().slice(11, 16));
      ms = nextFiringMs(pattern, zone, ms);
    }
    return found;
  }

  test.each([
    ["*/30 * * * *", "Europe/Berlin", ["00:00", "00:30", "01:00", "01:30", "02:00", "02:30", "03:00"]],
    ["0 * * * *", "Europe/Berlin", ["00:00", "01:00", "02:00", "03:00"]],
    ["@hourly", "Europe/Berlin", ["00:00", "01:00", "02:00", "03:00"]],
    ["*/20 2 * * *", "Europe/Berlin", ["00:00", "00:20", "00:40", "01:00", "01:20", "01:40"]],
    ["0 */2 * * *", "Europe/Berlin", ["00:00", "01:00", "03:00"]],
    ["30 2 * * *", "Europe/Berlin", ["00:30"]],
    ["15,45 1-3 * * *", "Europe/Berlin", ["00:15", "00:45", "02:15", "02:45"]],
    ["*/30 * * * *", "UTC", ["00:00", "00:30", "01:00", "01:30", "02:00", "02:30", "03:00"]],
  ])("'%s' in %s fires at %j", (pattern, zone, expected) => {
    assert.deepEqual(firings(pattern, zone, "2026-10-24T23:50:00Z", "2026-10-25T03:10:00Z"), expected);
  });

  test.each([
    ["30 2 * * *", ["01:00"]],
    ["*/20 2 * * *", []],
    ["15,45 1-3 * * *", ["00:15", "00:45", "01:15", "01:45"]],
  ])("and forward: '%s' fires at %j", (pattern, expected) => {
    assert.deepEqual(firings(pattern, "Europe/Berlin", "2027-03-27T23:50:00Z", "2027-03-28T02:00:00Z"), expected);
  });

  test("by half an hour, as on Lord Howe, misses none of its runs", () => {
    const found = firings("*/15 * * * *", "Australia/Lord_Howe", "2026-04-04T13:55:00Z", "2026-04-04T16:05:00Z");
    assert.equal(found.length, 9);
  });

  test.each(["30 2 * * *", "*/30 * * * *", "0 3 * * *", "59 * * * *"])("'%s' never fires in the past", (pattern) => {
    for (let ms = at("2026-10-24T23:00:00Z"); ms < at("2026-10-25T03:00:00Z"); ms += MINUTE_MS) {
      const next = nextFiringMs(pattern, "Europe/Berlin", ms) ?? 0;
      assert.ok(next > ms, `${shown(next)} after ${shown(ms)}`);
    }
  });

  test("and forward: every quarter of an hour there is, and none twice", () => {
    const found = firings("*/15 * * * *", "Europe/Berlin", "2027-03-28T00:00:00Z", "2027-03-28T02:00:00Z");
    assert.deepEqual(found, ["00:15", "00:30", "00:45", "01:00", "01:15", "01:30", "01:45", "02:00"]);
  });
});

describe("what follows a run", () => {
  const hourly = { kind: "interval", everyMs: HOUR_MS } as const;
  const nightly = { kind: "cron", pattern: "0 3 * * *", timeZone: "UTC" } as const;
  const due = at("2030-01-15T03:00:00Z");

  test("of an interval keeps its distance although each run begins a moment late", () => {
    const slot = slotOf(hourly, due, due + 800);
    assert.equal(slot, due);
    assert.equal(nextAfter(hourly, slot, due + 800), due + HOUR_MS);
  });

  test("of an interval starts over after runs were missed", () => {
    const nowMs = due + 5 * HOUR_MS + 7 * MINUTE_MS;
    const slot = slotOf(hourly, due, nowMs);
    assert.equal(slot, nowMs);
    assert.equal(nextAfter(hourly, slot, nowMs), nowMs + HOUR_MS);
  });

  test("of a schedule is its next time from now on, however many have passed", () => {
    const nowMs = at("2030-01-18T12:00:00Z");
    const slot = slotOf(nightly, due, nowMs);
    assert.equal(slot, due);
    assert.equal(shown(nextAfter(nightly, slot, nowMs)), "2030-01-19T03:00:00.000Z");
  });
});
