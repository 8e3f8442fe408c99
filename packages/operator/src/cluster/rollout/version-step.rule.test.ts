import assert from "node:assert/strict";
import {
  healthy,
  leader,
  type ObservationGiven,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { answering, edited, noted, running } from "@etcd-operator/testing/cluster/at-version.ts";
import { describe, test } from "vitest";
import type { Observation } from "../model/observation.ts";
import { situationOf } from "../model/situation.ts";
import { versionStep } from "./version-step.rule.ts";

const three = [leader("a"), healthy("b"), healthy("c")];

/** Three members on volumes that run one version, while the spec asks for another. */
function moving(from: string, to: string, given: ObservationGiven = {}): Observation {
  return edited({ members: three, claims: true, version: from, ...given }, { version: to });
}

/** "roll 3.6.16 leaving 3.5", "refused" */
function said(seen: Observation): string {
  const step = versionStep(situationOf(seen));
  switch (step.kind) {
    case "roll":
      return [
        `roll ${step.to}`,
        ...(step.leavesMinor === undefined ? [] : [`leaving ${step.leavesMinor}`]),
        ...(step.isDowngrade ? ["with data brought down"] : []),
      ].join(", ");
    case "downgrade":
    case "cancel-downgrade":
      return `${step.kind} ${step.target}`;
    default:
      return step.kind;
  }
}

function whyRefused(seen: Observation): string {
  const step = versionStep(situationOf(seen));
  return step.kind === "refused" ? step.why : step.kind;
}

const VERSIONS = ["3.2.32", "3.3.25", "3.4.37", "3.5.35", "3.6.16", "3.7.3"];

describe("from every minor to every other:", () => {
  const expected = (from: number, to: number): string => {
    const target = VERSIONS[to - 2] ?? "";
    if (from === to) return "none";
    if (to === from + 1) return `roll ${target}, leaving 3.${from}`;
    if (to === from - 1 && from >= 6) return `downgrade 3.${to}`;
    return "refused";
  };
  for (const from of VERSIONS) {
    for (const to of VERSIONS) {
      const [minorFrom, minorTo] = [from, to].map((version) => Number(version.split(".")[1]));
      const way = expected(minorFrom ?? 0, minorTo ?? 0);
      test(`${from} to ${to}: ${way}`, () => assert.equal(said(moving(from, to)), way));
    }
  }

  test("within a minor any patch is a step, up or down", () => {
    assert.equal(said(moving("3.5.16", "3.5.30")), "roll 3.5.30");
    assert.equal(said(moving("3.5.30", "3.5.16")), "roll 3.5.16");
    assert.equal(said(moving("3.5.9", "v3.5.9")), "none");
  });

  test("a patch release that forgets which members became voters has to be left first, within its minor", () => {
    const why = whyRefused(moving("3.5.19", "3.6.16"));
    assert.match(why, /3\.6 would load members added under 3\.5\.19 as learners/);
    assert.match(why, /upgrade to 3\.5\.32 or later first/);
    assert.equal(said(moving("3.5.19", "3.5.35")), "roll 3.5.35");
    assert.equal(said(moving("3.5.20", "3.6.16")), "roll 3.6.16, leaving 3.5");
  });

  test("what is refused names the way that is there", () => {
    assert.match(whyRefused(moving("3.4.23", "3.6.16")), /members run 3\.4: upgrade to 3\.5 first/);
    assert.match(whyRefused(moving("3.7.3", "3.5.35")), /members run 3\.7: downgrade to 3\.6 first/);
    assert.match(whyRefused(moving("3.5.35", "3.4.37")), /cannot downgrade its data: restore a backup taken with 3\.4/);
    assert.match(
      whyRefused(running("2.3.8", moving("3.2.32", "3.2.32"), "b")),
      /no upgrade path from 2\.3\.8 to 3\.2\.32/,
    );
  });
});

describe("while versions are mixed", () => {
  const mixed = (low: string, high: string, to: string) => running(high, moving(low, to), "b");
  const ways: [low: string, high: string, to: string, way: string][] = [
    ["3.5.35", "3.6.16", "3.6.16", "roll 3.6.16, leaving 3.5"],
    ["3.5.35", "3.6.16", "3.5.35", "roll 3.5.35"],
    ["3.4.37", "3.5.35", "3.4.37", "roll 3.4.37"],
    ["3.3.25", "3.4.37", "3.3.25", "roll 3.3.25"],
    ["3.6.16", "3.7.3", "3.6.16", "roll 3.6.16"],
    ["3.5.30", "3.5.35", "3.6.16", "roll 3.6.16, leaving 3.5"],
    ["3.5.16", "3.5.35", "3.6.16", "refused"],
    ["3.5.16", "3.6.16", "3.6.16", "refused"],
    ["3.5.16", "3.6.16", "3.5.35", "roll 3.5.35"],
    ["3.5.35", "3.6.16", "3.7.3", "refused"],
    ["3.6.16", "3.7.3", "3.5.35", "refused"],
    ["3.4.37", "3.5.35", "3.6.16", "refused"],
  ];
  for (const [low, high, to, way] of ways) {
    test(`${low} with ${high} to ${to}: ${way}`, () => assert.equal(said(mixed(low, high, to)), way));
  }

  test("the lowest that members report is what they leave, and what etcd's advice is about", () => {
    const step = versionStep(situationOf(mixed("3.5.20", "3.5.35", "3.6.16")));
    assert.match(step.kind === "roll" ? (step.warning ?? "") : "", /3\.5\.32 or newer .* members run 3\.5\.20/);
    const advised = versionStep(situationOf(moving("3.5.32", "3.6.16")));
    assert.equal(advised.kind === "roll" && advised.warning, undefined);
  });
});

describe("a member that does not answer", () => {
  const silent = { members: [leader("a"), healthy("b"), unknown("c")] };

  test("counts with what it ran when it last did", () => {
    const lagging = { ...silent, status: noted({ c: "3.4.23" }) };
    assert.match(whyRefused(moving("3.5.35", "3.6.16", lagging)), /members run 3\.4/);
    assert.equal(said(moving("3.5.35", "3.4.37", lagging)), "roll 3.4.37");
  });

  test("of which nothing is known does not count", () => {
    assert.equal(said(moving("3.5.35", "3.6.16", silent)), "roll 3.6.16, leaving 3.5");
  });

  test("leaves nothing to judge by where no member ever responded", () => {
    assert.equal(said(moving("3.5.35", "3.6.16", { members: [unknown("a")] })), "unknown");
    assert.equal(said(moving("3.5.35", "3.6.16", { members: [], size: 1 })), "unknown");
  });

  test("does not count as a learner", () => {
    const joining = { members: [...three, healthy("d", { listed: "learner" })] };
    assert.equal(said(running("3.6.16", moving("3.5.35", "3.5.35", joining), "d")), "none");
  });
});

describe("going back from 3.6", () => {
  const told = (target: string, seen: Observation, ...names: string[]) =>
    answering({ downgradeTarget: target }, seen, ...names);

  test("begins with a request to etcd, and then continues", () => {
    assert.equal(said(moving("3.6.16", "3.5.35")), "downgrade 3.5");
    assert.equal(said(told("3.5.0", moving("3.6.16", "3.5.35"))), "roll 3.5.35, with data brought down");
    assert.equal(said(told("3.6.0", moving("3.7.3", "3.6.16"))), "roll 3.6.16, with data brought down");
  });

  test("etcd need not know any more once one is back: from then on members can join again", () => {
    const oneIsBack = running("3.5.35", moving("3.6.16", "3.5.35"), "b");
    assert.equal(said(told("3.5.0", oneIsBack, "a", "c")), "cancel-downgrade 3.5");
    assert.equal(said(oneIsBack), "roll 3.5.35");
  });

  test("one that was given the older version and does not run it yet is not back", () => {
    const members = [leader("a"), unknown("b"), healthy("c")];
    const status = noted({ b: "3.6.16" });
    const seen = told("3.5.0", moving("3.6.16", "3.5.35", { members, status }));
    assert.equal(said(seen), "roll 3.5.35, with data brought down");
  });

  test("all being back, etcd forgets by itself", () => {
    const all = running("3.6.16", told("3.6.0", moving("3.7.3", "3.6.16")), "a", "b", "c");
    assert.equal(said(all), "none");
  });

  test("is cancelled when the user reverts it", () => {
    assert.equal(said(told("3.5.0", moving("3.6.16", "3.6.16"))), "cancel-downgrade 3.5");
    assert.equal(said(told("3.5.0", moving("3.6.16", "3.6.20"))), "cancel-downgrade 3.5");
    assert.equal(said(told("3.5.0", moving("3.6.16", "3.7.3"))), "cancel-downgrade 3.5");
  });

  test("is not touched by a version that is refused", () => {
    const seen = running("3.5.35", told("3.5.0", moving("3.6.16", "3.7.3")), "b");
    assert.match(whyRefused(seen), /members run 3\.5: upgrade to 3\.6 first/);
  });

  test("is not believed of a member that is cut off, which may not know that it was cancelled", () => {
    const members = [leader("a"), healthy("b"), unhealthy("c")];
    assert.equal(said(told("3.5.0", moving("3.6.16", "3.6.16", { members }), "c")), "none");
  });

  describe("needs one that can go first with its data, because no member can join before:", () => {
    const withFlags = (flags: readonly string[]) => {
      const seen = moving("3.6.16", "3.5.35", { claims: false });
      return { ...seen, pods: seen.pods.map((pod) => ({ ...pod, flags })) };
    };

    test("without volumes, pods that were made for 3.6 cannot", () => {
      assert.match(whyRefused(moving("3.6.16", "3.5.35", { claims: false })), /does not start in the existing pods/);
    });

    test("pods that were made for 3.5 can", () => {
      assert.equal(said(withFlags(["--experimental-initial-corrupt-check=true"])), "downgrade 3.5");
    });

    test("from 3.7 to 3.6 any can", () => {
      assert.equal(said(moving("3.7.3", "3.6.16", { claims: false })), "downgrade 3.6");
    });

    test("nor does it help that one could if its pod need not be recreated", () => {
      const edit = { version: "3.6.16", pod: { resources: { requests: { cpu: "2" } } } };
      assert.match(whyRefused(edited({ members: three, version: "3.7.3" }, edit)), /without volumes/);
    });

    test("if no member can any more, the downgrade is cancelled, and members can join again", () => {
      const going = three.map((member) => ({ ...member, claim: { isTerminating: true } }));
      const seen = told("3.5.0", moving("3.6.16", "3.5.35", { members: going }));
      assert.equal(said(seen), "cancel-downgrade 3.5");
    });

    test("a volume that is to be replaced does not help", () => {
      const claims = three.map((member) => ({ ...member, claim: { claimHash: "of another class" } }));
      assert.match(whyRefused(moving("3.6.16", "3.5.35", { members: claims })), /without volumes/);
    });
  });
});
