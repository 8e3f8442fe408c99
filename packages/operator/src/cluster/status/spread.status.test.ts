import assert from "node:assert/strict";
import {
  anObservation,
  gone,
  healthy,
  leader,
  type ObservationGiven,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import { clusterStateOf } from "../model/cluster-state.ts";
import { spread } from "./spread.status.ts";

const on = (nodeName: string) => ({ pod: { nodeName } });

function verdictOn(nodes: readonly (string | undefined)[], more: Partial<ObservationGiven> = {}) {
  const members = nodes.map((node, index) => {
    const name = "abcdefg"[index] ?? "";
    return index === 0 ? leader(name, node ? on(node) : {}) : healthy(name, node ? on(node) : {});
  });
  const seen = anObservation({ members, ...more });
  return spread(clusterStateOf(seen, { kind: "none", reason: "UpToDate", message: "" }, seen.cluster.status ?? {}));
}

describe("the condition Spread", () => {
  test.each([
    ["members on nodes of their own", ["n1", "n2", "n3"], true, "NodesDiffer"],
    ["two of three on one node", ["n1", "n2", "n1"], false, "MajorityOnOneNode"],
    ["all on one node", ["n1", "n1", "n1"], false, "MajorityOnOneNode"],
    ["two of five on one node, which three outlive", ["n1", "n1", "n2", "n2", "n3"], true, "NodesDiffer"],
    ["three of five on one node", ["n1", "n1", "n1", "n2", "n3"], false, "MajorityOnOneNode"],
    ["two of four on one node", ["n1", "n1", "n2", "n3"], false, "MajorityOnOneNode"],
    ["both of two on one node", ["n1", "n1"], false, "MajorityOnOneNode"],
    ["two on nodes of their own", ["n1", "n2"], true, "NodesDiffer"],
    ["a single member", ["n1"], true, "SingleMember"],
    ["a node that is not known", ["n1", undefined, "n2"], undefined, "NodeUnknown"],
    ["two on one node, whatever the third", ["n1", undefined, "n1"], false, "MajorityOnOneNode"],
  ])("of %s", (_, nodes, isTrue, reason) => {
    const verdict = verdictOn(nodes);
    assert.deepEqual([verdict.isTrue, verdict.reason], [isTrue, reason]);
  });

  test("names the node, and the members that run on it", () => {
    const message = "The loss of node n1 would lose quorum: 2 of 3 members run on it (a, c)";
    assert.equal(verdictOn(["n1", "n2", "n1"]).message.split(";")[0], message);
  });

  const ZONES = { n1: "a", n2: "b", n3: "c", n4: "a", n5: "b", n6: "a" };
  const inZones = (zones: Readonly<Record<string, string>>, ...off: string[]) => ({
    seen: { nodes: Object.entries(zones).map(([name, zone]) => ({ name, zone, isUsable: !off.includes(name) })) },
  });

  test.each([
    ["one member in each zone", ["n1", "n2", "n3"], inZones(ZONES), true, "NodesDiffer"],
    ["two of three in a zone, and a third zone", ["n1", "n2", "n4"], inZones(ZONES), false, "MajorityInOneZone"],
    [
      "two of three in a zone, and no third one",
      ["n1", "n2", "n4"],
      inZones({ ...ZONES, n3: "a" }),
      true,
      "NodesDiffer",
    ],
    [
      "two of three in a zone, and a third that is cordoned",
      ["n1", "n2", "n4"],
      inZones(ZONES, "n3"),
      true,
      "NodesDiffer",
    ],
    [
      "two of three in a zone, one of them on a cordoned node",
      ["n1", "n2", "n4"],
      inZones(ZONES, "n4"),
      false,
      "MajorityInOneZone",
    ],
    ["two of three on a node", ["n1", "n1", "n4"], inZones(ZONES), false, "MajorityOnOneNode"],
    [
      "nodes without zones",
      ["n1", "n2", "n4"],
      { seen: { nodes: [{ name: "n1", isUsable: true }] } },
      true,
      "NodesDiffer",
    ],
    ["three of five in a zone of three", ["n1", "n4", "n6", "n2", "n3"], inZones(ZONES), false, "MajorityInOneZone"],
    ["two, two and one of five", ["n1", "n4", "n2", "n5", "n3"], inZones(ZONES), true, "NodesDiffer"],
    ["two of four in a zone of three", ["n1", "n4", "n2", "n3"], inZones(ZONES), true, "NodesDiffer"],
    ["two of two in a zone", ["n1", "n4"], inZones(ZONES), true, "NodesDiffer"],
  ])("of %s", (_, nodes, more, isTrue, reason) => {
    const verdict = verdictOn(nodes, more);
    assert.deepEqual([verdict.isTrue, verdict.reason], [isTrue, reason]);
  });

  test("names the zone, and how many zones there are where all is healthy", () => {
    const [message] = verdictOn(["n1", "n2", "n4"], inZones(ZONES)).message.split(";");
    assert.equal(message, "The loss of zone a would lose quorum: 2 of 3 members run in it (a, c)");
    assert.equal(verdictOn(["n1", "n2", "n3"], inZones(ZONES)).message, "3 members run on 3 nodes in 3 zones");
  });

  test("is not known of a member without a pod, nor of a cluster that is being created", () => {
    const seen = anObservation({ members: [leader("a", on("n1")), healthy("b", on("n2")), gone("c")] });
    const state = clusterStateOf(seen, { kind: "none", reason: "UpToDate", message: "" }, seen.cluster.status ?? {});
    assert.equal(spread(state).reason, "NodeUnknown");
    assert.equal(spread({ ...state, phase: "Creating" }).reason, "NotRunning");
  });
});
