import assert from "node:assert/strict";
import { test } from "vitest";
import type { ProcessStarted } from "../model/etcd/facts.ts";
import { sideBySide } from "./side-by-side.ts";

const OLD: ProcessStarted = {
  ...{ atMs: 10, pod: "a-aaaaaaaaaa", disk: "one", found: { kind: "empty" }, version: "3.5.16" },
  ...{ clusterId: 1n, memberId: 1n, outcome: "bootstrapped" },
};
const NEW: ProcessStarted = { ...OLD, atMs: 100, pod: "a-bbbbbbbbbb", disk: "two", clusterId: 2n };

test("one cluster after the other is as it should be", () => {
  assert.deepEqual(sideBySide({ starts: [{ ...OLD, endedAtMs: 90 }, NEW] }), []);
});

test("a cluster that begins while a member of the previous one runs is reported", () => {
  const told = ["a-bbbbbbbbbb began another cluster while a-aaaaaaaaaa still ran"];
  assert.deepEqual(sideBySide({ starts: [OLD, NEW] }), told);
  assert.deepEqual(sideBySide({ starts: [{ ...OLD, endedAtMs: 110 }, NEW] }), told);
});

test("members of one cluster, and clusters of other names, run beside each other", () => {
  assert.deepEqual(sideBySide({ starts: [OLD, { ...NEW, clusterId: 1n }] }), []);
  assert.deepEqual(sideBySide({ starts: [OLD, { ...NEW, pod: "b-bbbbbbbbbb" }] }), []);
  assert.deepEqual(sideBySide({ starts: [OLD, { ...NEW, pod: "drill" }] }), []);
});
