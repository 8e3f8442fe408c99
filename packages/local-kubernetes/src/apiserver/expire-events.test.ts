import assert from "node:assert/strict";
import { test } from "vitest";
import { isOver } from "./expire-events.ts";

const now = new Date("2030-01-01T12:00:00Z");
const event = (fields: object) => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { creationTimestamp: "2030-01-01T10:00:00Z" },
  ...fields,
});

test.each([
  ["was made two hours ago and has not happened since", {}, true],
  ["happened again half an hour ago", { lastTimestamp: "2030-01-01T11:30:00Z" }, false],
  ["is one of a series that went on", { series: { lastObservedTime: "2030-01-01T11:30:00.000000Z" } }, false],
  ["last happened more than an hour ago", { lastTimestamp: "2030-01-01T10:59:00Z", eventTime: null }, true],
])("an Event that %s", (_, fields, expected) => {
  assert.equal(isOver(event(fields), now), expected);
});
