import assert from "node:assert/strict";
import { anObservation, NOW_MS } from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { ActionOutcome } from "../model/action.ts";
import { MinorBars } from "./minor-bars.ts";

const KEY = "default/example";
const unfit: ActionOutcome = { kind: "postponed", why: "data differs", retryMs: 5_000, barsMinor: true };
const later = (ms: number, generation = 1) => anObservation({ metadata: { generation }, seen: { nowMs: NOW_MS + ms } });

describe("why members must not leave their minor", () => {
  test("is what to plan from at once, and from then on", () => {
    const bars = new MinorBars();
    assert.equal(bars.learn(KEY, later(0), unfit)?.minorBarred, "data differs");
    assert.equal(bars.recall(KEY, later(4_999)).minorBarred, "data differs");
    assert.deepEqual(bars.againMs(KEY, later(4_000)), [1_000]);
  });

  test("is found out again after a while, after an edit of the spec, and by another process", () => {
    const learned = () => {
      const bars = new MinorBars();
      bars.learn(KEY, later(0), unfit);
      return bars;
    };
    assert.equal(learned().recall(KEY, later(5_000)).minorBarred, undefined);
    assert.equal(learned().recall(KEY, later(1_000, 2)).minorBarred, undefined);
    assert.equal(new MinorBars().recall(KEY, later(0)).minorBarred, undefined);
    const bars = learned();
    bars.recall(KEY, later(5_000));
    assert.deepEqual(bars.againMs(KEY, later(5_000)), []);
  });

  test("is not learned twice of one observation, nor of an action that waits for something else", () => {
    const bars = new MinorBars();
    const seen = bars.learn(KEY, later(0), unfit) ?? later(0);
    assert.equal(bars.learn(KEY, seen, unfit), undefined);
    assert.equal(new MinorBars().learn(KEY, later(0), { kind: "postponed", why: "busy", retryMs: 1_000 }), undefined);
    assert.equal(new MinorBars().learn(KEY, later(0), { kind: "done" }), undefined);
  });

  test("is of one cluster", () => {
    const bars = new MinorBars();
    bars.learn(KEY, later(0), unfit);
    assert.equal(bars.recall("default/other", later(0)).minorBarred, undefined);
    bars.forget(KEY);
    assert.equal(bars.recall(KEY, later(0)).minorBarred, undefined);
  });
});
