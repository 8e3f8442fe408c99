import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { LogPlace } from "../../guard/log-reached.ts";
import type { AnswerSeen, Health, MembershipSeen } from "../../model/observation.ts";
import { LogMemory } from "./log-memory.ts";

const NOW_MS = Date.parse("2030-01-01T00:00:00Z");
const UNKNOWN: MembershipSeen = { kind: "unknown" };

function said(log: LogPlace, health: Health = "healthy", memberId = "a"): AnswerSeen {
  const status = { clusterId: "c", memberId, version: "3.5.16", leaderId: "a", isLearner: false, revision: log.index };
  return { health, status: { ...status, databaseSizeBytes: 1, log } };
}

/** What is certain of a member after some reconciles, each with what it reported. */
function certainOf(...passes: readonly (AnswerSeen | undefined)[]): LogPlace | undefined {
  const memory = new LogMemory();
  let saved: LogPlace | undefined;
  for (const answer of passes) {
    saved = memory.learn("k", { answers: answer ? [answer] : [], membership: UNKNOWN, nowMs: NOW_MS }).get("a");
  }
  return saved && { term: saved.term, index: saved.index };
}

describe("what a member reports of its log", () => {
  test("is not certain at once: it may be about to write it down", () => {
    assert.equal(certainOf(said({ term: 2, index: 10 })), undefined);
  });

  test("is certain when it has answered a read that began later", () => {
    assert.deepEqual(certainOf(said({ term: 2, index: 10 }), said({ term: 2, index: 30 })), { term: 2, index: 10 });
  });

  test("stays uncertain while it finds no majority, or does not answer", () => {
    const first = said({ term: 2, index: 10 });
    assert.equal(certainOf(first, said({ term: 2, index: 10 }, "unhealthy")), undefined);
    assert.equal(certainOf(first, undefined), undefined);
  });

  test("stays certain when it is away afterwards", () => {
    const [first, second] = [said({ term: 2, index: 10 }), said({ term: 2, index: 20 })];
    assert.deepEqual(certainOf(first, second, undefined, undefined), { term: 2, index: 10 });
    assert.deepEqual(certainOf(first, second, said({ term: 2, index: 20 }, "unknown")), { term: 2, index: 10 });
  });

  test("is forgotten when it has gone back, as a user may have let it", () => {
    const passes = [said({ term: 5, index: 900 }), said({ term: 5, index: 900 }), said({ term: 4, index: 400 })];
    assert.equal(certainOf(...passes), undefined);
    assert.deepEqual(certainOf(...passes, said({ term: 6, index: 401 })), { term: 4, index: 400 });
  });

  test("counts from the first entry on that it has applied since its start", () => {
    assert.equal(certainOf(said({ term: 0, index: 10 }), said({ term: 2, index: 11 })), undefined);
  });
});

test("a removed member is not remembered, and no member of a deleted cluster", () => {
  const memory = new LogMemory();
  const answers = [said({ term: 1, index: 5 }), said({ term: 1, index: 5 }, "healthy", "b")];
  const learn = (membership: MembershipSeen) => [...memory.learn("k", { answers, membership, nowMs: NOW_MS }).keys()];
  learn(UNKNOWN);
  assert.deepEqual(learn(UNKNOWN), ["a", "b"]);
  const members = [{ id: "b", name: "b", peerUrls: [], isLearner: false }];
  assert.deepEqual(
    [...memory.learn("k", { answers: [], membership: { kind: "confirmed", members }, nowMs: NOW_MS }).keys()],
    ["b"],
  );
  memory.forget("k");
  assert.deepEqual([...memory.learn("k", { answers: [], membership: UNKNOWN, nowMs: NOW_MS }).keys()], []);
});
