import assert from "node:assert/strict";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import {
  anObservation,
  healthy,
  leader,
  type MemberGiven,
  NOW_MS,
  type ObservationGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { NodeSeen, Observation, PodSeen } from "../model/observation.ts";
import { situationOf } from "../model/situation.ts";
import { plan } from "../plan.ts";
import { elsewhere, whyNotMoved } from "./rebalance.rule.ts";
import { crowdOf, roomyZones } from "./spread.rule.ts";

const MINUTE_MS = 60_000;
const on = (nodeName: string, more: Partial<PodSeen> = {}): Partial<MemberGiven> => ({ pod: { nodeName, ...more } });
const usable = (...names: string[]): NodeSeen[] => names.map((name) => ({ name, isUsable: true }));
const crowded = [leader("a", on("n1", { createdAtMs: 1 })), healthy("b", on("n2")), healthy("c", on("n1"))];

/** Three members of which two share node n1, and a free node n3; all has been well for ever. */
function seenWith(given: Partial<ObservationGiven> = {}, seen: Partial<Observation> = {}): Observation {
  const spread = { attempts: 0, nodes: usable("n1", "n2", "n3"), isBackupRunning: false };
  const spec = { rebalance: "Automatic", ...given.spec };
  return anObservation({ members: crowded, size: 3, ...given, spec, seen: { spread, ...seen } });
}

const kindOf = (seen: Observation) => plan(seen).kind;
const coming = (pod: Partial<PodSeen>, listed: MemberGiven["listed"] = "learner") =>
  seenWith({ members: [...crowded, healthy("d", { listed, pod: { memberId: "d", ...pod } })], size: 3 });

describe("members of which two of three share a node", () => {
  test("get another on a node of its own, which is added before one of them is removed", () => {
    const action = plan(seenWith());
    assert.deepEqual([action.kind, action.reason], ["declare-join", "Rebalancing"]);
    assert.equal(action.message, "Adding new-1 before removing one of a, c, which share node n1");
  });

  test("stay as they are unless the user wants them moved", () => {
    const seen = seenWith({ spec: { rebalance: "Off" } });
    assert.equal(kindOf(seen), "none");
    assert.match(whyNotMoved(situationOf(seen)) ?? "", /set spec\.rebalance to Automatic/);
  });

  const never: [why: string, given: Partial<ObservationGiven>, seen?: Partial<Observation>][] = [
    [
      "each is on a node of its own",
      { members: [leader("a", on("n1")), healthy("b", on("n2")), healthy("c", on("n3"))] },
    ],
    ["the cluster is paused", { spec: { paused: true } }],
    ["a member is not reached", { members: [...crowded.slice(0, 2), unknown("c", on("n1", { isReady: true }))] }],
    ["a member is not ready", { members: [...crowded.slice(0, 2), healthy("c", on("n1", { isReady: false }))] }],
    ["etcd has no learners", { version: "3.3.25" }],
    ["the spec asks for another version", {}, { pods: seenWith({ version: "3.5.16" }).pods }],
    ["an alarm is raised", {}, { alarms: [{ memberId: "a", kind: "no-space" }] }],
    ["the nodes cannot be read", {}, { spread: { attempts: 0, why: "grant the operator permission to list nodes" } }],
    ["no other node is known", {}, { spread: { attempts: 0, nodes: usable("n1", "n2") } }],
    ["the other node is cordoned", {}, { spread: { attempts: 0, nodes: [{ name: "n3", isUsable: false }] } }],
    ["a backup is being taken", {}, { spread: { attempts: 0, nodes: usable("n3"), isBackupRunning: true } }],
    [
      "claims of members that go would be left",
      {
        claims: true,
        spec: {
          pod: { persistentVolumeClaimSpec: A_CLAIM },
          persistentVolumeClaimRetentionPolicy: { whenScaled: "Retain" },
        },
      },
    ],
    ["something went wrong nine minutes ago", {}, { seenFor: { ms: () => 9 * MINUTE_MS } }],
    [
      "one came in vain, and nineteen minutes have passed",
      {},
      {
        seenFor: { ms: () => 19 * MINUTE_MS },
        spread: { attempts: 1, nodes: usable("n3") },
      },
    ],
  ];
  for (const [why, given, seen] of never) {
    test(`stay as they are while ${why}`, () => {
      assert.notEqual(plan(seenWith(given, seen)).reason, "Rebalancing");
    });
  }

  test("are moved when twenty minutes have passed since one came in vain", () => {
    const seen = seenWith({}, { seenFor: { ms: () => 20 * MINUTE_MS }, spread: { attempts: 1, nodes: usable("n3") } });
    assert.equal(plan(seen).reason, "Rebalancing");
  });

  test("with claims that go with their members get another on a new claim", () => {
    assert.equal(plan(seenWith({ claims: true })).reason, "Rebalancing");
  });
});

describe("a member that comes to relieve a crowded node", () => {
  test("is kept from the nodes of the others; one that comes for anything else is not", () => {
    assert.deepEqual(elsewhere(situationOf(coming({ nodeName: "n3" }))), { apartFrom: ["n1", "n2"] });
    const growing = seenWith({ members: [...crowded, healthy("d", { listed: "learner" })], size: 4 });
    assert.equal(elsewhere(situationOf(growing)), undefined);
    assert.equal(elsewhere(situationOf(seenWith({ spec: { rebalance: "Off" } }))), undefined);
  });

  test("is promoted on a node of its own", () => {
    assert.equal(kindOf(coming({ nodeName: "n3" })), "promote-member");
  });

  test.each<[why: string, pod: Partial<PodSeen>, listed: MemberGiven["listed"]]>([
    ["landed beside another", { nodeName: "n2" }, "learner"],
    [
      "finds no node for a minute",
      { isScheduled: false, unschedulableSinceMs: NOW_MS - MINUTE_MS },
      "unstarted-learner",
    ],
    [
      "does not start for five minutes",
      { nodeName: "n3", trouble: "ErrImagePull", createdAtMs: NOW_MS - 5 * MINUTE_MS },
      "unstarted-learner",
    ],
  ])("goes again when it %s", (_, pod, listed) => {
    const action = plan(coming(pod, listed));
    assert.equal(action.kind, "remove-member");
    assert.equal(action.member.name, "d");
  });

  test("has a minute to find a node", () => {
    const seen = coming({ isScheduled: false, unschedulableSinceMs: NOW_MS - MINUTE_MS / 2 }, "unstarted-learner");
    const { kind, message } = plan(seen);
    assert.notEqual(kind, "remove-member", message);
  });

  test("votes before one of those that share the node is removed, the youngest, and not the leader", () => {
    const action = plan(seenWith({ members: [...crowded, healthy("d", on("n3"))], size: 3 }));
    assert.equal(action.kind, "remove-member");
    assert.deepEqual([action.member.name, action.because], ["c", "surplus"]);
  });

  test("becomes one of three where another was removed meanwhile", () => {
    const members = [...crowded.slice(0, 2), healthy("d", { listed: "learner", ...on("n3", { memberId: "d" }) })];
    assert.equal(kindOf(seenWith({ members, size: 3 })), "promote-member");
  });
});

/** Which node is in which zone, `off` for those that can take no member now. */
function nodesIn(zones: Readonly<Record<string, string>>, ...off: readonly string[]): NodeSeen[] {
  return Object.entries(zones).map(([name, zone]) => ({ name, zone, isUsable: !off.includes(name) }));
}

describe("members on nodes of their own, of which two of three share a zone", () => {
  const ZONES = { n1: "a", n2: "b", n3: "a", n4: "c", n5: "a" };
  const members = [leader("a", on("n1")), healthy("b", on("n2")), healthy("c", on("n3"))];

  function inZones(given: Partial<ObservationGiven> = {}, nodes: readonly NodeSeen[] = nodesIn(ZONES)): Observation {
    const spread = { attempts: 0, nodes, isBackupRunning: false };
    return seenWith({ members, ...given }, { nodes, spread });
  }

  test("get another in a third zone, which is added before one of them is removed", () => {
    const action = plan(inZones());
    assert.deepEqual([action.kind, action.reason], ["declare-join", "Rebalancing"]);
    assert.equal(action.message, "Adding new-1 before removing one of a, c, which share zone a");
  });

  test("get one that may go only to free nodes of zones with room", () => {
    const joining = healthy("d", { listed: "learner", pod: { memberId: "d", nodeName: "n4" } });
    const seen = inZones({ members: [...members, joining] });
    assert.deepEqual(elsewhere(situationOf(seen)), { apartFrom: ["n1", "n2", "n3"], zones: ["c"] });
    assert.equal(kindOf(seen), "promote-member");
  });

  test("get rid again of one that came to a zone without room", () => {
    const joining = healthy("d", { listed: "learner", pod: { memberId: "d", nodeName: "n5" } });
    const action = plan(inZones({ members: [...members, joining] }));
    assert.equal(action.kind, "remove-member");
    assert.equal(action.member.name, "d");
  });

  test("lose one that shares the zone, not the leader, when the other votes", () => {
    const action = plan(inZones({ members: [...members, healthy("d", on("n4"))] }));
    assert.equal(action.kind, "remove-member");
    assert.deepEqual([action.member.name, action.because], ["c", "surplus"]);
  });

  test.each<[why: string, nodes: readonly NodeSeen[]]>([
    ["there are two zones", nodesIn({ n1: "a", n2: "b", n3: "a", n4: "b" })],
    ["the third zone has no node that can take a member", nodesIn(ZONES, "n4")],
    ["the zone of one of them is not known", nodesIn({ n1: "a", n3: "a", n4: "c" })],
    ["nodes may not be read", []],
  ])("stay as they are where %s", (_, nodes) => {
    assert.equal(plan(inZones({}, nodes)).kind, "none");
  });

  test("stay as they are while the node of the third zone is cordoned, and the condition says so", () => {
    const spread = { attempts: 0, nodes: nodesIn(ZONES, "n4"), isBackupRunning: false };
    const seen = seenWith({ members }, { nodes: nodesIn(ZONES), spread });
    assert.equal(plan(seen).kind, "none");
    assert.match(whyNotMoved(situationOf(seen)) ?? "", /^no other node of zone c can take a member/);
  });

  test("move away from a crowded node first, to wherever there is room", () => {
    const crowd = [leader("a", on("n1")), healthy("b", on("n1")), healthy("c", on("n3"))];
    assert.match(plan(inZones({ members: crowd })).message, /which share node n1$/);
    const joining = healthy("d", { listed: "learner", pod: { memberId: "d", nodeName: "n4" } });
    assert.deepEqual(elsewhere(situationOf(inZones({ members: [...crowd, joining] }))), { apartFrom: ["n1", "n3"] });
  });
});

test("of five members in three zones the surplus one is removed from the zone with three, not from a node with two", () => {
  const members = [
    leader("a", on("n1")),
    healthy("b", on("n2")),
    healthy("c", on("n3")),
    healthy("d", on("n4")),
    healthy("e", on("n4")),
    healthy("f", on("n5")),
  ];
  const nodes = nodesIn({ n1: "a", n2: "a", n3: "a", n4: "b", n5: "c" });
  const action = plan(anObservation({ members, size: 5, spec: { rebalance: "Automatic" }, seen: { nodes } }));
  assert.equal(action.kind, "remove-member");
  assert.ok(["b", "c"].includes(action.member.name), action.member.name);
});

describe("moves between zones come to an end:", () => {
  /** One free node more in each zone than members could need. */
  const ZONES = ["a", "b", "c", "d"];
  const nodes = nodesIn(
    Object.fromEntries(ZONES.flatMap((zone) => Array.from({ length: 8 }, (_, at) => [`${zone}${at}`, zone]))),
  );
  const places = (size: number, zones: number): string[][] =>
    size === 0 ? [[]] : places(size - 1, zones).flatMap((rest) => ZONES.slice(0, zones).map((zone) => [...rest, zone]));
  const fewer = (zones: number) => nodes.filter(({ zone = "" }) => ZONES.indexOf(zone) < zones);

  test.each([
    [3, 2],
    [3, 3],
    [3, 4],
    [4, 3],
    [4, 4],
    [5, 3],
    [5, 4],
  ])("%i members in %i zones, however they lie at first", (size, zones) => {
    for (const first of new Set(places(size, zones).map((each) => each.sort().join("")))) {
      let at = [...first];
      for (let moves = 0; ; moves += 1) {
        const voters = at.map((zone, index) => healthy("efghi"[index] ?? "", on(`${zone}${index}`)));
        const seen = anObservation({ members: voters, size, seen: { nodes: fewer(zones) } });
        const crowd = crowdOf(situationOf(seen));
        if (!crowd) break;
        assert.ok(moves < size, `${first} after ${moves} moves: ${at.join("")}`);
        const [to] = roomyZones(situationOf(seen)) ?? [];
        assert.ok(to, `${first}: somewhere to go from ${at.join("")}`);
        const from = at.indexOf(crowd.name);
        at = at.with(from, to);
      }
      const most = Math.max(...ZONES.map((zone) => at.filter((each) => each === zone).length));
      const isEnough = zones * Math.floor((size - 1) / 2) >= size;
      assert.ok(!isEnough || most <= Math.floor((size - 1) / 2), `${first} ends as ${at.join("")}`);
      if (!isEnough) assert.deepEqual(at, [...first], "nothing moves where it gets no better");
    }
  });
});
