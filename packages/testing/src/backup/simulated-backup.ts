import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdBackup } from "@etcd-operator/operator/api/etcd-backup.ts";
import type { Action } from "@etcd-operator/operator/backup/action.ts";
import { eventsOf } from "@etcd-operator/operator/backup/events.ts";
import { FINALIZER } from "@etcd-operator/operator/backup/finalizer.ts";
import type { DrillOutcome, DrillSeen, RunOutcome, RunSeen } from "@etcd-operator/operator/backup/observation.ts";
import { plan } from "@etcd-operator/operator/backup/plan.ts";
import { isWorthWriting, statusAfter } from "@etcd-operator/operator/backup/status.ts";
import { judgedObject } from "@etcd-operator/operator/objects/judged-object.ts";
import { anEtcdBackup, type BackupGiven, failed, NOW_MS, succeeded } from "./an-etcd-backup.ts";

/** More than any step takes; then something goes round in circles. */
const MOST_PASSES = 20;

/**
 * For tests: an EtcdBackup whose reconciles are decided for real, and whose world is time, the object and a run that
 * the test ends.
 */
export class SimulatedBackup {
  nowMs = NOW_MS;
  object: Stored<EtcdBackup>;
  run: RunSeen | undefined;
  drill: DrillSeen | undefined;
  readonly events: string[] = [];
  /** Starts of runs, in order. */
  readonly started: { atMs: number; attempt: number; slotMs: number }[] = [];
  writes = 0;
  /** Pods of drills; those of a process that ends stay. */
  drillPods = 0;

  constructor(given: BackupGiven = {}) {
    this.object = anEtcdBackup(given);
  }

  get status(): NonNullable<EtcdBackup["status"]> {
    return this.object.status ?? {};
  }

  get isRunning(): boolean {
    return this.run !== undefined && this.run.state.kind !== "ended";
  }

  get isDrilling(): boolean {
    return this.drill !== undefined && this.drill.state.kind !== "ended";
  }

  /** Reconciles until there is nothing to do; returns the last result. */
  settle(): Action {
    for (let count = 0; count < MOST_PASSES; count += 1) {
      const action = this.#pass();
      if (action.kind === "hold" || action.kind === "none") return action;
    }
    throw new Error(`it does not come to rest: ${JSON.stringify(plan(this.#seen()))}`);
  }

  /** Time passes, and the object is reconciled whenever it asked to be. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.nowMs + ms;
    for (let action = this.settle(); ; action = this.settle()) {
      const dueMs = this.nowMs + ((action.kind === "hold" && action.recheckAfterMs) || Number.POSITIVE_INFINITY);
      this.nowMs = Math.min(dueMs, untilMs);
      if (this.nowMs >= untilMs) break;
    }
    this.settle();
  }

  /** The run in progress ends, and that is reported. */
  end(outcome: Partial<RunOutcome> = {}): void {
    if (!this.run) throw new Error("there is no run to end");
    const times = { endedAtMs: this.nowMs, verifiedAtMs: this.nowMs };
    const whole =
      outcome.kind === "failed"
        ? failed({ ...times, ...(outcome as object) })
        : succeeded({ ...times, ...(outcome as object) });
    this.run = { ...this.run, state: { kind: "ended", outcome: whole } };
    this.settle();
  }

  fail(outcome: Partial<Extract<RunOutcome, { kind: "failed" }>> = {}): void {
    this.end({ kind: "failed", ...outcome });
  }

  /** The drill in progress ends, and that is reported. */
  endDrill(outcome: DrillOutcome): void {
    if (!this.drill) throw new Error("there is no drill to end");
    this.drill = { ...this.drill, state: { kind: "ended", outcome } };
    this.settle();
  }

  /** Another spec, as an API server would store it. */
  edit(given: BackupGiven): void {
    const { spec } = anEtcdBackup(given);
    const generation = (this.object.metadata.generation ?? 0) + 1;
    this.object = { ...this.object, spec, metadata: { ...this.object.metadata, generation } };
  }

  /** The process ends, and another one begins a while later. */
  restart(afterMs = 0): void {
    [this.run, this.drill] = [undefined, undefined];
    this.nowMs += afterMs;
  }

  #seen() {
    const { object: backup, problems } = judgedObject("EtcdBackup", this.object);
    return { nowMs: this.nowMs, backup, problems, run: this.run, drill: this.drill };
  }

  #pass(): Action {
    const seen = this.#seen();
    const action = plan(seen);
    const status = statusAfter(seen, action);
    this.#carryOut(action);
    if (action.kind === "add-finalizer" || action.kind === "remove-finalizer") return action;
    if (isWorthWriting(seen, status)) {
      this.writes += 1;
      this.object = { ...this.object, status };
    }
    this.events.push(...eventsOf(seen, action, status).map(({ reason }) => reason));
    return action;
  }

  #carryOut(action: Action): void {
    const { metadata } = this.object;
    const others = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
    switch (action.kind) {
      case "add-finalizer":
        this.object = { ...this.object, metadata: { ...metadata, finalizers: [...others, FINALIZER] } };
        break;
      case "remove-finalizer":
        this.object = { ...this.object, metadata: { ...metadata, finalizers: others } };
        break;
      case "start-run":
        this.started.push({ atMs: this.nowMs, attempt: action.about.attempt, slotMs: action.about.slotMs });
        this.run = { about: action.about, state: { kind: "running", progress: { step: "Streaming" } } };
        break;
      case "drop-run":
      case "record-run":
        this.run = undefined;
        break;
      case "start-drill":
        this.drillPods = 1;
        this.drill = { about: action.about, state: { kind: "running", progress: undefined } };
        break;
      case "clear-drill":
        this.drillPods = 0;
        break;
      case "drop-drill":
      case "record-drill":
        this.drillPods = 0;
        this.drill = undefined;
        break;
    }
  }
}
