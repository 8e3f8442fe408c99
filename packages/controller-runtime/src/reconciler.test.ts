import assert from "node:assert/strict";
import { KubernetesError, type KubernetesErrorCode, pause, type RecordedEvent } from "@etcd-operator/kubernetes-client";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { beforeEach, describe, test } from "vitest";
import { createLogger } from "./observability/logger.ts";
import type { Outcome } from "./outcome.ts";
import type { Pass } from "./pass.ts";
import {
  type ActionOutcome,
  type KindOfObject,
  type PlannedAction,
  planAndAct,
  type Special,
} from "./reconcile-steps.ts";
import { reconciler } from "./reconciler.ts";

/** An object that is a status and nothing else. */
interface Plain extends KindOfObject {
  seen: { readonly status: string };
  plan: PlannedAction;
  action: PlannedAction;
  outcome: ActionOutcome;
  status: { readonly said: string };
  event: RecordedEvent;
}

const KEY = "prod/example";
const work = { kind: "work", reason: "Working", message: "carrying it out" };
const hold = { kind: "hold", reason: "Paused", message: "the user holds it" };
const none = { kind: "none", reason: "UpToDate", message: "all is well" };

let clock: FakeClock;
let seen: Plain["seen"] | undefined;
let action: PlannedAction;
let act: () => Promise<ActionOutcome>;
let writeFailure: Error | undefined;
/** Another client takes back every status that is written. */
let isUndone: boolean;
let story: string[];
beforeEach(() => {
  clock = new FakeClock();
  [seen, action, act] = [{ status: "" }, work, async () => ({ kind: "done" })];
  [writeFailure, isUndone, story] = [undefined, false, []];
});

/** What reconciles once. */
function created(special: Partial<Special<Plain>> = {}): (signal?: AbortSignal) => Promise<Outcome> {
  const plan = () => action;
  const reconcile = reconciler<Plain>(
    {
      observe: async () => seen,
      plan,
      act: async (_, { kind }) => {
        story.push(`act ${kind}`);
        return act();
      },
      statusAfter: (_, { reason, message }) => ({ said: `${reason}: ${message}` }),
      isWorthWriting: (old, next) => old.status !== next.said,
      async writeStatus(_, { said }) {
        if (writeFailure) throw writeFailure;
        story.push(said);
        if (!isUndone) seen = { status: said };
        return { status: said };
      },
      eventsOf: (_, { reason, message }) => [{ type: "Normal", reason, message }],
      record: (_, { reason }) => story.push(`event ${reason}`),
      clock,
    },
    { attempt: planAndAct<Plain>(plan), obstructed: (because) => ({ kind: "hold", ...because }), ...special },
  );
  const pass = { mustReadLive: false, logger: createLogger({ write: () => undefined }) } as unknown as Pass;
  return (signal = new AbortController().signal) => reconcile(KEY, signal, pass);
}

function failsWith(code: KubernetesErrorCode): void {
  act = async () => {
    throw new KubernetesError(code, { operation: "POST pods", message: `scripted ${code}` });
  };
}

describe("a reconcile", () => {
  test("acts, writes the status, records Events, and only then settles", async () => {
    const reconcile = created({ settle: async (_, { kind }) => void story.push(`settle ${kind}`) });
    assert.deepEqual(await reconcile(), { kind: "retry", afterMs: 0, why: "carrying it out" });
    assert.deepEqual(story, ["act work", "Working: carrying it out", "event Working", "settle work"]);
  });

  test("records no Event, and settles nothing, where the status could not be written", async () => {
    writeFailure = new Error("no answer");
    const reconcile = created({ settle: async () => void story.push("settle") });
    await assert.rejects(reconcile(), /no answer/);
    assert.deepEqual(story, ["act work"]);
  });

  test("ends what is under way for an object that is gone", async () => {
    seen = undefined;
    const reconcile = created({ forget: (key) => void story.push(`forget ${key}`) });
    assert.deepEqual(await reconcile(), { kind: "done" });
    assert.deepEqual(story, [`forget ${KEY}`]);
  });

  test("writes no status after an action that changed the object", async () => {
    await created({ changesObject: ({ kind }) => kind === "work" })();
    assert.deepEqual(story, ["act work"]);
  });
});

describe("the next reconcile comes", () => {
  test("a moment later when the same action seems to have had no effect", async () => {
    const reconcile = created();
    await reconcile();
    assert.deepEqual(await reconcile(), { kind: "retry", afterMs: 1_000, why: "carrying it out" });
  });

  test("at once again where the object was gone in between", async () => {
    const reconcile = created();
    const before = seen;
    await reconcile();
    seen = undefined;
    await reconcile();
    seen = before;
    assert.deepEqual(await reconcile(), { kind: "retry", afterMs: 0, why: "carrying it out" });
  });

  test("after the pause that a postponed action needs", async () => {
    act = async () => ({ kind: "postponed", why: "unhealthy cluster", retryMs: 500 });
    assert.deepEqual(await created()(), { kind: "retry", afterMs: 500, why: "unhealthy cluster" });
  });

  test("at the soonest of the times that a hold, the object and the attempt name", async () => {
    action = { ...hold, recheckAfterMs: 300 };
    const soonest = async (recheckMs: number, againMs: number) => {
      const attempt: Special<Plain>["attempt"] = async (now, { act: carryOut }) => {
        return { action, ...(await carryOut(now, action)), againMs: [againMs] };
      };
      const outcome = await created({ attempt, recheckMs: () => recheckMs })();
      return outcome.kind === "retry" && outcome.afterMs;
    };
    assert.deepEqual([await soonest(400, 500), await soonest(200, 500), await soonest(400, 100)], [300, 200, 100]);
  });

  test("after a rest only where there is nothing to do and no time to wait for", async () => {
    let recheckMs: number | undefined;
    const reconcile = created({ recheckMs: () => recheckMs, rest: () => ({ kind: "rest", atMostMs: 90_000 }) });
    action = hold;
    assert.deepEqual(await reconcile(), { kind: "wait", for: "the user holds it" });
    action = none;
    assert.deepEqual(await reconcile(), { kind: "rest", atMostMs: 90_000 });
    recheckMs = 200;
    assert.deepEqual(await reconcile(), { kind: "retry", afterMs: 200, why: "all is well" });
  });
});

describe("an action that fails", () => {
  test("is reported in the status, and fails the reconcile", async () => {
    failsWith("unavailable");
    await assert.rejects(created()(), { code: "unavailable" });
    assert.match(String(story[1]), /^ActionFailed: carrying it out; but POST pods failed: scripted/);
    assert.deepEqual(story.slice(2), ["event ActionFailed"]);
  });

  test("keeps its own reason where the kind waits for it to last", async () => {
    failsWith("unavailable");
    const reconcile = created({ needsALook: (_, lastedMs) => lastedMs >= 10_000 });
    const reported = async () => {
      await assert.rejects(reconcile());
      return story.at(-1);
    };
    assert.equal(await reported(), "event Working");
    await clock.advance(10_000);
    assert.equal(await reported(), "event ActionFailed");
    act = async () => ({ kind: "done" });
    await reconcile();
    failsWith("unavailable");
    assert.equal(await reported(), "event Working");
  });

  test.each(["conflict", "canceled"] as const)("because of a %s leaves the status alone", async (code) => {
    failsWith(code);
    await assert.rejects(created()(), { code });
    assert.deepEqual(story, ["act work"]);
  });

  test("because the operator stops leaves the status alone", async () => {
    failsWith("unavailable");
    await assert.rejects(created()(AbortSignal.abort()), { code: "unavailable" });
    assert.deepEqual(story, ["act work"]);
  });

  test("is the failure of the reconcile, also when the status cannot be written either", async () => {
    writeFailure = new Error("no answer");
    failsWith("forbidden");
    await assert.rejects(created()(), { code: "forbidden" });
  });
});

describe("an action that hangs", () => {
  const lasts = (ms: number) => {
    act = async () => pause(clock, ms, new AbortController().signal).then(() => ({ kind: "done" }));
  };

  test("is reported while it does, and what comes of it is written over that", async () => {
    lasts(6_000);
    const reconciling = created()();
    await clock.advance(4_999);
    assert.deepEqual(story, ["act work"]);
    await clock.advance(1);
    assert.deepEqual(story.slice(1), ["Working: carrying it out; but there was no answer for 5 s", "event Working"]);
    await clock.advance(1_000);
    await reconciling;
    assert.deepEqual(story.slice(3), ["Working: carrying it out", "event Working"]);
    assert.deepEqual(clock.pendingMs, []);
  });

  test("is not where it changes the object, which would be another version then", async () => {
    lasts(6_000);
    const reconciling = created({ changesObject: () => true })();
    await clock.advance(6_000);
    await reconciling;
    assert.deepEqual(story, ["act work"]);
  });
});

describe("a status that another client undoes", () => {
  test("is written again less and less often, and settles nothing until then", async () => {
    [action, isUndone] = [none, true];
    const reconcile = created({ settle: async () => void story.push("settle") });
    for (let times = 0; times < 2; times += 1) await reconcile();
    story.length = 0;
    assert.deepEqual(await reconcile(), { kind: "retry", afterMs: 2_000, why: "all is well" });
    assert.deepEqual(story, ["act none", "event UpToDate"]);
    await clock.advance(2_000);
    await reconcile();
    assert.deepEqual(story.slice(2), ["act none", "UpToDate: all is well", "event UpToDate", "settle"]);
  });
});
