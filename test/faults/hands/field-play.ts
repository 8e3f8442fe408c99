import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Condition } from "@etcd-operator/operator/api/condition.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { LIMIT_MS } from "../workloads/limit.ts";
import type { Stage } from "../workloads/stage.ts";
import { QUIET_MS, untilAtRest } from "../workloads/until-at-rest.ts";
import { writtenByAnother } from "../workloads/written-by-another.ts";
import { editObject } from "./edit-object.ts";
import { type Fate, fateOf } from "./fates.ts";
import { type Ground, onGround } from "./ground.ts";
import type { Owned } from "./owned.ts";
import { nameOf, valueAt } from "./path.ts";
import { type FieldEdits, fieldsOf } from "./values.ts";

/** A field of an object of an idle cluster, changed and removed. */
export interface FieldPlay {
  readonly owned: Owned;
  readonly field: FieldEdits;
}

const SHOWN = 300;

/** Members on volumes, so that everything that a member has is there. */
export async function atRest({ stage, writes }: Ground): Promise<void> {
  await stage.createCluster({ bootstrap: { mode: "Parallel" }, pod: { persistentVolumeClaimSpec: A_CLAIM } });
  await stage.settled();
  await stage.time.pass(QUIET_MS);
  writes.count();
}

/** Every field of the objects that the operator has created, as in an idle cluster. */
export async function fieldPlays(owned: readonly Owned[], seed: number): Promise<readonly FieldPlay[]> {
  return onGround(seed, async (ground) => {
    await atRest(ground);
    return owned.flatMap((each) => {
      const object = foundAs(each, ground.stage);
      return fieldsOf(object, each.resource.plural).map((field) => ({ owned: each, field }));
    });
  });
}

export function fieldName({ owned, field }: FieldPlay): string {
  return `${owned.name}/${nameOf(field.path)}`;
}

/**
 * Changes the field in each way, and checks the result; then a pod is lost, and what was left must do no harm
 * to that either.
 */
export async function playField(play: FieldPlay, seed: number) {
  return onGround(seed, async (ground) => {
    await atRest(ground);
    const { stage, world, writes } = ground;
    const course = new FieldCourse(play, ground);
    const failures = [...(await course.edited())];
    if (failures.length === 0 && course.mayMatterLater) {
      await stage.losePod(0);
      failures.push(...(await course.settled()).map((lack) => `after the loss of a pod: ${lack}`));
    }
    if (failures.length === 0) failures.push(...(await writtenByAnother(world, stage.time, writes)));
    const harm = (await ground.harm()).filter((what) => !course.isMeant(what));
    const left = failures.length + harm.length > 0 ? [] : ground.left().filter((what) => !course.mayBeLeft(what));
    failures.push(...harm, ...left);
    return { failures, convergenceMs: course.longestMs };
  });
}

function foundAs({ name, find }: Owned, stage: Stage): Stored {
  const object = find(stage);
  if (!object) throw new Error(`there is no ${name}`);
  return object;
}

class FieldCourse {
  readonly #play: FieldPlay;
  readonly #ground: Ground;
  readonly #object: Stored;
  readonly #was: string;
  readonly #fate: Fate;
  longestMs = 0;

  constructor(play: FieldPlay, ground: Ground) {
    this.#play = play;
    this.#ground = ground;
    this.#object = foundAs(play.owned, ground.stage);
    this.#was = textOf(valueAt(this.#object, play.field.path));
    this.#fate = fateOf(fieldName(play));
  }

  /** Where what was left is read again once a member comes back. */
  get mayMatterLater(): boolean {
    return this.#fate === "kept" && ["pod", "claim", "cluster"].includes(this.#play.owned.name);
  }

  /**
   * An operator that loses its Lease ends: two would act otherwise. And what a hand writes stays on record for a while.
   */
  isMeant(harm: string): boolean {
    const field = fieldName(this.#play);
    if (field === "cluster/status.clusterID") return /became by-hand|was cluster by-hand/.test(harm);
    return field === "lease/spec.holderIdentity" && /the Lease is held by/.test(harm);
  }

  /**
   * An object that waits for the owner of its finalizer; and a volume whose claim does not say any more that it is ours
   * to delete.
   */
  mayBeLeft(left: string): boolean {
    const field = fieldName(this.#play);
    if (field.endsWith("/metadata.finalizers")) return left.endsWith("waits to be deleted");
    return /^claim\/metadata\.(labels|annotations)/.test(field) && left.endsWith("is a volume without a member");
  }

  /** Until what was not as it should be, if anything. */
  async edited(): Promise<readonly string[]> {
    let taken = 0;
    for (const value of this.#play.field.values) {
      if (!(await this.#isTaken(value))) continue;
      taken += 1;
      const failures = await this.#outcome(value);
      if (failures.length > 0) return failures.map((each) => `= ${textOf(value)}: ${each}`.slice(0, SHOWN));
    }
    return taken === 0 ? ["the API server took none of the changes"] : [];
  }

  async settled(): Promise<readonly string[]> {
    const { stage, writes } = this.#ground;
    const startedMs = stage.time.elapsedMs;
    const rest = await untilAtRest(stage.time, { sent: () => writes.sent, missing: () => stage.unsettled() });
    this.longestMs = Math.max(this.longestMs, rest.lastMs - startedMs);
    return rest.missing;
  }

  async #isTaken(value: unknown): Promise<boolean> {
    const { owned, field } = this.#play;
    const refusal = await editObject(this.#ground.stage, owned.resource, this.#now, { path: field.path, value });
    return refusal === undefined;
  }

  async #outcome(value: unknown): Promise<readonly string[]> {
    const fate = this.#fate;
    if (typeof fate === "object") return this.#told(fate);
    const missing = await this.settled();
    if (missing.length > 0) return missing;
    const now = this.#now;
    const is = textOf(valueAt(now, this.#play.field.path));
    const isReplaced = now.metadata.uid !== this.#object.metadata.uid && fate !== "remade" && fate !== "renewed";
    const made = textOf(value);
    const isAsExpected = {
      restored: is === this.#was,
      remade: is === this.#was,
      renewed: is !== made,
      // What has a default cannot be taken out.
      kept: is === made || is === this.#was,
    }[fate];
    if (isAsExpected && !isReplaced) return [];
    return [`was to be ${fate}; it was ${this.#was}, and is ${is}${isReplaced ? " in another object" : ""}`];
  }

  /** A condition reports so, without end, and all is healthy again once the field is corrected. */
  async #told({ says }: { readonly says: RegExp }): Promise<readonly string[]> {
    const { time } = this.#ground.stage;
    await time.until(() => this.#complaints.some((message) => says.test(message)), LIMIT_MS);
    await time.pass(QUIET_MS);
    if (!this.#complaints.some((message) => says.test(message))) {
      return [`no condition says ${says}: ${this.#complaints.join(" | ")}`];
    }
    const isTaken = await this.#isTaken(valueAt(this.#object, this.#play.field.path));
    return isTaken ? this.settled() : ["it cannot be put right"];
  }

  get #complaints(): readonly string[] {
    const { conditions = [], reason = "" } = this.#ground.stage.cluster?.status ?? {};
    return [reason, ...(conditions as readonly Condition[]).map(({ message = "" }) => message)];
  }

  /** The object as it is now, under the same name. */
  get #now(): Stored {
    const { resource } = this.#play.owned;
    const { name } = this.#object.metadata;
    const object = this.#ground.stage.objects.of(resource).find(({ metadata }) => metadata.name === name);
    if (!object) throw new Error(`${resource.plural} ${name} is gone`);
    return object;
  }
}

/** No list is as good as an empty one. */
function textOf(value: unknown): string {
  const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
  return isEmpty ? "not there" : JSON.stringify(value);
}
