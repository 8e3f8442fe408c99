import { setTimeout as pause } from "node:timers/promises";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { randomOf } from "../../model/random.ts";
import { differences } from "../checks/end-state.ts";
import { type Outcome, runWorkload } from "../workloads/run-workload.ts";
import type { Stage } from "../workloads/stage.ts";
import type { Workload } from "../workloads/workload.ts";
import { NAMESPACE } from "../world/world.ts";
import { courses } from "./courses.ts";
import { editObject } from "./edit-object.ts";
import { fateOf } from "./fates.ts";
import type { Owned } from "./owned.ts";
import { nameOf } from "./path.ts";
import { fieldsOf } from "./values.ts";

/**
 * An object that is deleted, or changed in all fields that will be reverted, in the middle of what is done to its
 * cluster.
 */
export interface MidwayPlay {
  readonly course: Workload;
  readonly owned: Owned;
  readonly how: "changed" | "deleted";
}

export function midwayPlays(owned: readonly Owned[]): readonly MidwayPlay[] {
  return courses.flatMap((course) =>
    owned.flatMap((each): readonly MidwayPlay[] => [
      { course, owned: each, how: "changed" },
      // What becomes of a deleted EtcdCluster is another story.
      ...(each.name === "cluster" ? [] : [{ course, owned: each, how: "deleted" } as const]),
    ]),
  );
}

export function midwayName({ course, owned, how }: MidwayPlay): string {
  return `${owned.name}-${how}/during-${course.name}`;
}

const NOT_FOUND_MS = 60_000;

export async function playMidway(play: MidwayPlay, seed: number) {
  const calm = await calmRun(play.course, seed);
  const unfit = [...calm.missing, ...calm.violations];
  if (unfit.length > 0) return { failures: unfit.map((what) => `even where no hand reaches in: ${what}`) };
  const at = randomOf(seed + midwayName(play).length).int(calm.sent.length) + 1;
  const hand = new Hand(play);
  const onWrite = (write: number) => {
    if (write === at) void hand.reachIn();
  };
  const outcome = await runWorkload(hand.around(play.course), { seed, onWrite });
  const violations = outcome.violations.filter((what) => !isMeant(play, what));
  const failures = [...hand.failures, ...outcome.missing, ...violations, ...otherEnd(play, calm, outcome)];
  return { failures, convergenceMs: outcome.convergenceMs, notes: [`at write ${at} of ${calm.sent.length}`] };
}

/** An operator that loses its Lease ends: two would act otherwise. */
function isMeant({ owned }: MidwayPlay, violation: string): boolean {
  return owned.name === "lease" && /hold Lease/.test(violation);
}

/** Services and the budget are as without the hand in the end. */
function otherEnd({ owned: { name, resource } }: MidwayPlay, calm: Outcome, outcome: Outcome): readonly string[] {
  if (!/service|budget/.test(name)) return [];
  const those = (lines: readonly string[]) => lines.filter((line) => line.startsWith(`${resource.plural}/`));
  return differences(those(calm.endState), those(outcome.endState));
}

class Hand {
  readonly #play: MidwayPlay;
  #stage: Stage | undefined;
  #has: "not come" | "begun" | "ended" = "not come";
  #taken = 0;

  constructor(play: MidwayPlay) {
    this.#play = play;
  }

  get failures(): readonly string[] {
    if (this.#has !== "ended") return [`never happened: the hand has ${this.#has}`];
    return this.#taken === 0 ? ["the API server took none of the changes"] : [];
  }

  around(course: Workload): Workload {
    return {
      ...course,
      act: (stage) => {
        this.#stage = stage;
        return course.act(stage);
      },
      // Nothing is over before the hand has come.
      missing: (stage) => [...course.missing(stage), ...(this.#has === "begun" ? ["a hand is at work"] : [])],
    };
  }

  async reachIn(): Promise<void> {
    this.#has = "begun";
    const { owned, how } = this.#play;
    const object = await this.#found();
    if (object && this.#stage) {
      if (how === "deleted") await this.#delete(this.#stage, object);
      else await this.#change(this.#stage, object);
    }
    this.#has = object ? "ended" : this.#has;
    if (!object) throw new Error(`there was no ${owned.name}`);
  }

  /** Right after the write that it was waited for; what is not there yet is waited for. */
  async #found(): Promise<Stored | undefined> {
    for (let waitedMs = 0; waitedMs < NOT_FOUND_MS; waitedMs += 100) {
      await pause(1);
      const object = this.#stage && this.#play.owned.find(this.#stage);
      if (object) return object;
      await pause(100);
    }
    return undefined;
  }

  async #delete({ user }: Stage, { metadata }: Stored): Promise<void> {
    await user.delete(this.#play.owned.resource, { namespace: NAMESPACE, name: metadata.name });
    this.#taken += 1;
  }

  async #change(stage: Stage, object: Stored): Promise<void> {
    const { owned } = this.#play;
    for (const { path, values } of fieldsOf(object, owned.resource.plural)) {
      const field = `${owned.name}/${nameOf(path)}`;
      if (fateOf(field) !== "restored") continue;
      const refusal = await editObject(stage, owned.resource, object, { path, value: values[0] });
      if (!refusal) this.#taken += 1;
    }
  }
}

const known = new Map<string, Promise<Outcome>>();

async function calmRun(course: Workload, seed: number): Promise<Outcome> {
  const key = `${course.name} ${seed}`;
  const run = known.get(key) ?? runWorkload(course, { seed });
  known.set(key, run);
  return run;
}
