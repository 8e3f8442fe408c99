import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "vitest";
import {
  anObservation,
  gone,
  healthy,
  leader,
  type ObservationGiven,
} from "../../../test/support/cluster/an-observation.ts";
import { SPREAD_REASONS, spread } from "./spread.ts";
import { standingOf } from "./standing.ts";

const on = (nodeName: string) => ({ pod: { nodeName } });

function verdictOn(nodes: readonly (string | undefined)[], more: Partial<ObservationGiven> = {}) {
  const members = nodes.map((node, index) => {
    const name = "abcdefg"[index] ?? "";
    return index === 0 ? leader(name, node ? on(node) : {}) : healthy(name, node ? on(node) : {});
  });
  const seen = anObservation({ members, ...more });
  return spread(standingOf(seen, { kind: "none", reason: "", message: "" }, seen.cluster.status ?? {}));
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

  test("names the node, and who runs on it", () => {
    const message = "If node n1 is lost, so is the majority: 2 of 3 members run on it (a, c)";
    assert.equal(verdictOn(["n1", "n2", "n1"]).message.split(";")[0], message);
  });

  test("is not known of a member without a pod, nor of a cluster that is being created", () => {
    const seen = anObservation({ members: [leader("a", on("n1")), healthy("b", on("n2")), gone("c")] });
    const standing = standingOf(seen, { kind: "none", reason: "", message: "" }, seen.cluster.status ?? {});
    assert.equal(spread(standing).reason, "NodeUnknown");
    assert.equal(spread({ ...standing, phase: "Creating" }).reason, "NotRunning");
  });
});

test("docs/operations/spread.md says of each reason what the code says", () => {
  const page = readFileSync("docs/operations/spread.md", "utf8");
  for (const [reason, meaning] of Object.entries(SPREAD_REASONS)) {
    assert.ok(page.includes(`| \`${reason}\` | ${meaning} |`), reason);
  }
});
