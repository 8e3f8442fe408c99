import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { amnesiaPlans } from "./plans.ts";

const LONGEST_NAMESPACE = 63;

describe("the plans of a seed", () => {
  const plans = amnesiaPlans(1);

  test("have names of their own, which fit into the name of a namespace beside a neighbour's", () => {
    assert.equal(new Set(plans.map(({ name }) => name)).size, plans.length);
    for (const { name } of plans) assert.ok(`amnesia-${name}-b`.length <= LONGEST_NAMESPACE, name);
    for (const { name } of plans) assert.match(name, /^[a-z0-9-]+$/);
  });

  test("are the same each time, and others for another seed", () => {
    assert.deepEqual(amnesiaPlans(1), plans);
    assert.notDeepEqual(
      amnesiaPlans(2).map(({ steps }) => steps),
      plans.map(({ steps }) => steps),
    );
  });

  test("go through one, three and five members, with claims and without", () => {
    assert.ok(plans.length >= 30);
    for (const size of [1, 3, 5]) {
      for (const claims of [true, false]) {
        assert.ok(
          plans.some((plan) => plan.size === size && plan.claims === claims),
          `${size} members, claims: ${claims}`,
        );
      }
    }
  });

  test("delete pods only where the data stays, on claims", () => {
    const stops = plans.filter(({ steps }) => steps.some((step) => step.do === "stop"));
    assert.deepEqual(
      stops.filter(({ claims }) => !claims).map(({ name }) => name),
      [],
    );
  });
});
