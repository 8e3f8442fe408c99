import assert from "node:assert/strict";
import {
  anObservation,
  gone,
  healthy,
  type MemberGiven,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import {
  DATA_STATES,
  type DataState,
  dataStateOf,
  isDataProvablyGone,
  MEMBER_STATES,
  type MemberState,
  mayReturn,
  memberStateOf,
} from "./member-state.ts";
import { type MemberSeen, membersSeen } from "./members.ts";

function seenAs(given: MemberGiven, seen: Partial<MemberSeen> = {}): MemberSeen {
  const member = membersSeen(anObservation({ members: [given] })).find(({ name }) => name === given.name);
  assert.ok(member);
  return { ...member, ...seen };
}

const waiting = { stage: "pending", usesClaim: true, isScheduled: false } as const;
const deleted = { isTerminating: true, usesClaim: false } as const;
const join = { name: "a", incarnation: 1, purpose: "Join" } as const;

const STATES: readonly (readonly [because: string, state: MemberState, member: MemberSeen])[] = [
  ["reads through a majority", "healthy", seenAs(healthy("a"))],
  ["still does while its pod, with its data, is being deleted", "healthy", seenAs(healthy("a", { pod: deleted }))],
  ["was given the volume of another", "barred", seenAs(unknown("a", { pod: { refusal: "other-member" } }))],
  ["was given an older copy of its volume", "barred", seenAs(unknown("a", { pod: { refusal: "log-behind" } }))],
  ["has neither pod nor claim", "lost", seenAs(gone("a"))],
  ["was found without data by the guard", "lost", seenAs(unknown("a", { pod: { refusal: "data-gone" } }))],
  ["was found without its log by the guard", "lost", seenAs(unknown("a", { pod: { refusal: "log-gone" } }))],
  ["is in a pod that has ended", "lost", seenAs(unknown("a", { pod: { stage: "ended" } }))],
  ["has a claim that is being deleted", "lost", seenAs(gone("a", { claim: { isTerminating: true } }))],
  ["answers and has no majority", "surviving", seenAs(unhealthy("a"))],
  ["runs and does not answer", "silent", seenAs(unknown("a", { pod: { answer: { health: "unknown" } } }))],
  ["is not ours to see", "silent", seenAs(gone("a"), { isExternal: true })],
  ["has its volume and no pod", "absent", seenAs(gone("a", { claim: {} }))],
  [
    "has a pod that waits",
    "absent",
    seenAs(unknown("a", { pod: { stage: "pending", answer: { health: "unknown" } } })),
  ],
  ["has never started", "absent", seenAs(gone("a", { listed: "unstarted-voter" }))],
  ["is on its way in", "absent", seenAs(gone("a"), { intent: join })],
];

describe("a member that", () => {
  test.each(STATES)("%s is %s", (_, state, member) => {
    assert.equal(memberStateOf(member), state);
  });

  test("is in any of the states is claimed above", () => {
    assert.deepEqual([...new Set(STATES.map(([, state]) => state))].sort(), Object.keys(MEMBER_STATES).sort());
  });
});

const CLAIMS = {
  "its own claim": {},
  "its own claim without a volume": { hasLostVolume: true },
  "a claim that is being deleted": { isTerminating: true },
  "a claim of another member": { memberId: "b" },
  "a claim of which nothing is known": { memberId: undefined },
  "another claim without a volume": { isTerminating: true, hasLostVolume: true },
  "no claim": undefined,
} as const;

const [THERE, LOST, BEYOND, GONE] = ["there", "volume-lost", "out-of-reach", "gone"] as const;

/** A column for each of CLAIMS. */
const DATA: Readonly<Record<string, readonly [pod: MemberGiven["pod"], ...states: DataState[]]>> = {
  "no pod": [null, THERE, LOST, BEYOND, BEYOND, BEYOND, GONE, GONE],
  "a pod that has ended": [{ stage: "ended" }, THERE, LOST, BEYOND, BEYOND, BEYOND, GONE, GONE],
  "a pod that waits for its claim": [waiting, THERE, LOST, THERE, THERE, THERE, LOST, LOST],
  "a pod that is being deleted with its data": [deleted, THERE, THERE, BEYOND, BEYOND, BEYOND, BEYOND, BEYOND],
  "a pod that is being deleted, and a claim in use": [
    { isTerminating: true, usesClaim: true },
    ...Array<DataState>(7).fill(THERE),
  ],
  "a pod that runs": [{ usesClaim: true }, ...Array<DataState>(7).fill(THERE)],
};

describe("the data of a member with", () => {
  const cases = Object.entries(DATA).flatMap(([what, [pod, ...states]]) =>
    Object.entries(CLAIMS).map(([claimed, claim], column) => {
      const member = seenAs(unknown("a", { ...(pod !== undefined && { pod }), ...(claim && { claim }) }));
      return [`${what} and ${claimed}`, states[column], member] as const;
    }),
  );

  test.each(cases)("%s is %s", (_, state, member) => {
    assert.equal(dataStateOf(member), state);
  });

  test.each([
    [{ stage: "pending" }, "refused"],
    [{ stage: "ended" }, "gone"],
  ] as const)("a pod %j whose guard refused it is %s", (pod, state) => {
    assert.equal(dataStateOf(seenAs(unknown("a", { pod: { ...pod, refusal: "other-member" } }))), state);
  });

  test("any of the states is claimed above", () => {
    const claimed = new Set([...cases.map(([, state]) => state), "refused"]);
    assert.deepEqual([...claimed].sort(), Object.keys(DATA_STATES).sort());
  });
});

test("what may still hold the data of a member that cannot return is no proof that it is gone", () => {
  const leaving = seenAs(gone("a", { claim: { isTerminating: true } }));
  assert.equal(mayReturn(leaving), false);
  assert.equal(isDataProvablyGone(leaving), false);
});

test("a member whose volume is lost has its time to return, and its data is provably gone", () => {
  const waits = seenAs(gone("a", { claim: { hasLostVolume: true } }));
  assert.equal(mayReturn(waits), true);
  assert.equal(isDataProvablyGone(waits), true);
});

test("of a member that is merely written down, and of which nothing is seen, the data is gone", () => {
  assert.equal(isDataProvablyGone(undefined), true);
});
