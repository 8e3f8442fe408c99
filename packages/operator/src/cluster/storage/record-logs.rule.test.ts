import assert from "node:assert/strict";
import { rfc3339 } from "@etcd-operator/kubernetes-client";
import {
  anObservation,
  gone,
  healthy,
  leader,
  type MemberGiven,
  NOW_MS,
  type ObservationGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { LogReached } from "../guard/log-reached.ts";
import { plan } from "../plan.ts";

const reached = (revision: number, agoMs = 0): LogReached => ({
  term: 2,
  index: revision + 20,
  revision,
  at: rfc3339(NOW_MS - agoMs),
});
const savedLogs = new Map(["a", "b", "c"].map((id) => [id, reached(100, 5_000)]));
const noted = (log: LogReached) => ({ claim: { logReached: log } });

/** Whose logs are noted, and on what. */
function notedIn(members: readonly MemberGiven[], given: ObservationGiven = {}): readonly string[] {
  const action = plan(anObservation({ claims: true, members, seen: { savedLogs }, ...given }));
  const logs = action.kind === "record-logs" ? action.logs : [];
  return logs.flatMap(({ claim, pod }) => [
    ...(claim ? [`claim ${claim.name}`] : []),
    ...(pod ? [`pod ${pod.name}`] : []),
  ]);
}

describe("how far logs have got", () => {
  test("is written on claims and pods once it is certain and there were writes", () => {
    const all = [leader("a"), healthy("b"), healthy("c")];
    assert.deepEqual(notedIn(all), ["claim a", "pod a", "claim b", "pod b", "claim c", "pod c"]);
    assert.deepEqual(notedIn(all, { seen: {} }), []);
    assert.deepEqual(notedIn(all, { seen: { savedLogs: new Map([["a", reached(1)]]) } }), []);
  });

  test("is written for the first time when a pod is ten minutes old, or when a member is missing", () => {
    const young = { pod: { createdAtMs: NOW_MS - 60_000 } };
    assert.deepEqual(notedIn([leader("a", young), healthy("b", young), healthy("c", young)]), []);
    assert.deepEqual(notedIn([leader("a", young), healthy("b", young), unknown("c", young)]), [
      ...["claim a", "pod a"],
      ...["claim b", "pod b"],
    ]);
  });

  test("is written on pods where there are no claims", () => {
    assert.deepEqual(notedIn([leader("a"), healthy("b"), healthy("c")], { claims: false }), [
      "pod a",
      "pod b",
      "pod c",
    ]);
  });

  test("is written every ten minutes while all are healthy: each has all that was acknowledged", () => {
    const since = (agoMs: number) => notedIn([leader("a", noted(reached(50, agoMs))), ...others(reached(100))]);
    assert.deepEqual(since(599_000), []);
    assert.deepEqual(since(600_000), ["claim a", "pod a"]);
  });

  test("is written every ten seconds while a member is missing", () => {
    const since = (agoMs: number) =>
      notedIn([leader("a", noted(reached(50, agoMs))), healthy("b", noted(reached(100))), unknown("c")]);
    assert.deepEqual(since(9_000), []);
    assert.deepEqual(since(10_000), ["claim a", "pod a"]);
  });

  test("is written for one that is away, by what it said before, and only if that is no news of a note that was removed", () => {
    const away = (log?: LogReached) => {
      const before = unknown("c", log ? noted(log) : {});
      return notedIn([leader("a", noted(reached(100))), healthy("b", noted(reached(100))), before]);
    };
    assert.deepEqual(away(reached(50, 20_000)), ["claim c", "pod c"]);
    assert.deepEqual(away(), []);
  });

  test("is not written while etcd has no writes, however long ago it was written", () => {
    assert.deepEqual(notedIn([leader("a", noted(reached(100, 9_000_000))), ...others(reached(100))]), []);
  });

  test("never goes back", () => {
    const ahead = { ...reached(50, 900_000), term: 3 };
    assert.deepEqual(notedIn([leader("a", noted(ahead)), ...others(reached(100))]), []);
  });

  test("is not written on what the guard refused", () => {
    const refused = unknown("c", { pod: { refusal: "log-behind", stage: "pending" }, ...noted(reached(50, 900_000)) });
    const action = plan(anObservation({ claims: true, members: [leader("a"), healthy("b"), refused] }));
    assert.equal(action.kind, "remove-member");
    assert.match(action.message, /an older copy/);
  });

  test("is on the pod of a member that comes back, as far as it is remembered", () => {
    const members = [leader("a"), healthy("b"), gone("c", noted(reached(50)))];
    const action = plan(anObservation({ claims: true, members, seen: { savedLogs } }));
    assert.equal(action.kind, "start-members");
    assert.deepEqual(action.kind === "start-members" && action.members[0]?.logReached, savedLogs.get("c"));
  });
});

function others(log: LogReached): readonly MemberGiven[] {
  return [healthy("b", noted(log)), healthy("c", noted(log))];
}
