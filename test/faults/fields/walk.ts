import type { KubeObject, Stored } from "@etcd-operator/kubernetes-client";
import { KubernetesError } from "@etcd-operator/kubernetes-client";
import { differences } from "../checks/end-state.ts";
import type { Writes } from "../transport/writes.ts";
import type { Stage } from "../workloads/stage.ts";
import { QUIET_MS } from "../workloads/until-at-rest.ts";
import { NAMESPACE } from "../world/world.ts";
import { withValue } from "./at-path.ts";
import { type Entry, specWith } from "./entries/entry.ts";
import type { FieldValue } from "./field-value.ts";
import type { Property } from "./property.ts";
import { lacksInRefusal } from "./refusal.ts";
import { objectOf, type Scene } from "./scenes/scene.ts";
import type { Step, Trouble } from "./step.ts";

export interface WalkGiven {
  readonly stage: Stage;
  readonly scene: Scene;
  /** The spec without any of it. */
  readonly base: object;
  readonly writes: Writes;
  readonly property: Property;
  readonly entry: Entry;
  /** The object is in trouble from the beginning. */
  readonly trouble?: Trouble | undefined;
}

const LIMIT_MS = 10 * 60_000;
/** Until the controller that acts between two edits has begun. */
const PAUSE_MS = 15_000;
const RESTLESS_MS = 10 * 60_000;
const SHOWN = 300;
const MOST_WARNINGS = 25;

interface Told extends KubeObject {
  readonly type?: string;
  readonly count?: number;
  readonly involvedObject?: { readonly name?: string };
}

/** Takes an object of a user from one spec to the next, and checks the result of each. */
export class Walk {
  readonly #given: WalkGiven;
  readonly #base: object;
  readonly #picture: readonly string[];
  readonly #harm = new Set<string>();
  #value: FieldValue | undefined;
  #trouble: Trouble | undefined;
  /** The result after an edit that failed shows nothing; a refusal has changed nothing. */
  isLost = false;
  transitions = 0;
  longestMs = 0;

  constructor(given: WalkGiven) {
    this.#given = given;
    this.#trouble = given.trouble;
    this.#base = given.base;
    this.#picture = given.scene.picture(given.stage);
  }

  /** Makes one edit and waits for its end; returns what was not as it should be. */
  async take(step: Step): Promise<readonly string[]> {
    const { time } = this.#given.stage;
    const [label, startedMs] = [this.#labelOf(step), time.elapsedMs];
    this.transitions += 1;
    const wasAt = this.#value;
    const failures = step.kind === "set" ? await this.#set(step.value) : await this.#edit(step);
    const isUnchanged = step.kind === "set" && step.value.fate === "refused" && this.#value === wasAt;
    this.isLost ||= failures.length > 0 && !isUnchanged;
    this.longestMs = Math.max(this.longestMs, time.elapsedMs - startedMs);
    const found = [...failures, ...this.#harm];
    return found.map((failure) => `${label}: ${failure}`);
  }

  async #set(value: FieldValue): Promise<readonly string[]> {
    const { scene, stage, property } = this.#given;
    const before = objectOf(scene, stage).metadata.generation;
    const revision = objectOf(scene, stage).metadata.resourceVersion;
    const refusal = await this.#write(value, this.#trouble);
    if (refusal) {
      if (value.fate !== "refused") return [`was refused: ${refusal.message}`];
      if (objectOf(scene, stage).metadata.generation !== before) return ["was refused, but the object is another"];
      return lacksInRefusal(refusal, property, value.value);
    }
    if (value.fate === "refused") return ["was taken, though it means nothing"];
    this.#value = value;
    return this.#trouble ? this.#observed() : this.#outcome(value, revision);
  }

  async #edit(step: Exclude<Step, { kind: "set" }>): Promise<readonly string[]> {
    const was = this.#value;
    if (step.kind === "back") this.#value = undefined;
    else this.#trouble = step.kind === "break" ? step.trouble : undefined;
    const refusal = await this.#write(this.#value, this.#trouble);
    if (refusal) {
      const isExpected = step.kind === "back" && was?.isForGood === true;
      return isExpected ? [] : [`was refused: ${refusal.message}`];
    }
    const { scene, stage } = this.#given;
    if (this.#trouble && this.#value?.fate !== "reported" && step.kind === "break") {
      return this.#reported(this.#trouble.says, objectOf(scene, stage).metadata.resourceVersion);
    }
    if (this.#trouble) return this.#observed();
    if (this.#value) return this.#outcome(this.#value, undefined);
    // What was in trouble from the beginning has never been as it should be.
    return this.#given.trouble ? this.#settled(QUIET_MS) : this.#asBefore();
  }

  /** Writes the spec; returns why the API server did not take it. */
  async #write(value: FieldValue | undefined, trouble: Trouble | undefined): Promise<KubernetesError | undefined> {
    const { scene, stage, property, entry } = this.#given;
    const valued = value
      ? withValue(specWith(this.#base, entry.along), property.path, value.value, entry.mapKey)
      : this.#base;
    const spec = trouble ? withValue(valued, trouble.path, trouble.value) : valued;
    try {
      const json = [{ op: "replace", path: "/spec", value: spec }] as const;
      await stage.user.patch(scene.resource, { namespace: NAMESPACE, name: scene.name }, { json });
      return undefined;
    } catch (error) {
      if (error instanceof KubernetesError && (error.status === 422 || error.status === 400)) return error;
      throw error;
    }
  }

  async #outcome(value: FieldValue, revision: string | undefined): Promise<readonly string[]> {
    if (value.fate === "reported") return this.#reported(value.says ?? /./, revision);
    const missing = await this.#settled(PAUSE_MS);
    if (missing.length > 0 || !value.isIn) return missing;
    const without = this.#given.stage.memberPods.filter((pod) => !value.isIn?.(pod));
    return without.map(({ metadata }) => `${metadata.name} does not have it`);
  }

  async #reported(says: RegExp, revision: string | undefined): Promise<readonly string[]> {
    const { scene, stage } = this.#given;
    const isTold = () => scene.told(stage).some((message) => says.test(message));
    const isDone = await this.#until(() => isTold() && this.#isObserved(), LIMIT_MS);
    await stage.time.pass(PAUSE_MS);
    if (!isDone || !isTold()) return [`no condition says ${says}: ${scene.told(stage).join(" | ").slice(0, SHOWN)}`];
    return revision === undefined || this.#hasWarned(revision) ? [] : ["there was no Event of it"];
  }

  /** A new spec is seen, though the last one is stuck. */
  async #observed(): Promise<readonly string[]> {
    const { stage } = this.#given;
    const isSeen = await this.#until(() => this.#isObserved(), LIMIT_MS);
    await stage.time.pass(PAUSE_MS);
    return isSeen ? [] : ["the new spec was not reconciled"];
  }

  async #asBefore(): Promise<readonly string[]> {
    const { scene, stage } = this.#given;
    const missing = await this.#settled(QUIET_MS);
    if (missing.length > 0) return missing;
    const other = differences(this.#picture, scene.picture(stage));
    return other.map((line) => `is not as before: ${line.slice(0, SHOWN)}`);
  }

  async #settled(quietMs: number): Promise<readonly string[]> {
    const { scene, stage, writes } = this.#given;
    const last = { atMs: stage.time.elapsedMs, sent: -1 };
    const isQuiet = () => {
      if (writes.sent.length !== last.sent)
        Object.assign(last, { atMs: stage.time.elapsedMs, sent: writes.sent.length });
      return stage.time.elapsedMs - last.atMs >= quietMs;
    };
    const missing = () => scene.unsettled(stage);
    await this.#until(() => missing().length === 0, LIMIT_MS);
    if (missing().length === 0) await this.#until(() => isQuiet() && missing().length === 0, RESTLESS_MS);
    if (missing().length > 0) return missing();
    return isQuiet() ? [] : [`the operator does not come to rest: ${writes.sent.slice(-5).join(", ")}`];
  }

  async #until(holds: () => boolean, limitMs: number): Promise<boolean> {
    const { scene, stage } = this.#given;
    return stage.time.until(() => {
      for (const harm of scene.harm(stage)) this.#harm.add(harm);
      return holds();
    }, limitMs);
  }

  #isObserved(): boolean {
    const { scene, stage } = this.#given;
    const { metadata, status } = objectOf(scene, stage) as { metadata: { generation?: number }; status?: unknown };
    return (status as { observedGeneration?: number } | undefined)?.observedGeneration === metadata.generation;
  }

  #hasWarned(revision: string): boolean {
    const { scene, stage } = this.#given;
    const warnings = (stage.objects.named("events") as Stored<Told>[]).filter(
      ({ type, involvedObject }) => type === "Warning" && involvedObject?.name === scene.name,
    );
    // No object gets more than a few a minute, and no user edits as often as this.
    if (warnings.reduce((sum, { count = 1 }) => sum + count, 0) >= MOST_WARNINGS) return true;
    return warnings.some(({ metadata }) => BigInt(metadata.resourceVersion) > BigInt(revision));
  }

  #labelOf(step: Step): string {
    const { property } = this.#given;
    const inTrouble = this.#trouble ? ` in trouble '${this.#trouble.name}'` : "";
    const withIt = this.#value ? ` with '${this.#value.name}'` : "";
    switch (step.kind) {
      case "set":
        return `${property.path} = '${step.value.name}'${inTrouble}`;
      case "back":
        return `${property.path} back from '${this.#value?.name}'${inTrouble}`;
      case "break":
        return `trouble '${step.trouble.name}'${withIt}`;
      case "mend":
        return `end of trouble '${this.#trouble?.name}'${withIt}`;
    }
  }
}
