import type { Clock } from "@etcd-operator/kubernetes-client";
import { refusalInWords } from "@etcd-operator/kubernetes-client";
import type { Action, ActionOutcome } from "./action.ts";

/** An action that came to nothing so far. */
export interface Stalled {
  /** What it is known by from pass to pass. */
  readonly key: string;
  readonly kind: Action["kind"];
  /** Of all objects that it is about. */
  readonly names: readonly string[];
  readonly message: string;
  /**
   * Its result: it failed, or succeeded without effect; or it was only refused, which is
   * no problem.
   */
  readonly came: "failed" | "without-effect" | "refused";
  readonly why: string;
  /** How long until its next try; rules behind its own act meanwhile, if it may be passed over. 0: it is due. */
  readonly leftMs: number;
}

interface Stall extends Omit<Stalled, "leftMs"> {
  /** How often in all, and with nothing else done in between. */
  readonly times: number;
  readonly inARow: number;
  readonly sinceMs: number;
  readonly lastMs: number;
  /** 0: it is tried as often as it is planned. */
  readonly delayMs: number;
}

interface CameToNothing extends Pick<Stall, "key" | "came" | "why"> {
  readonly isInARow: boolean;
  /** The answer itself showed that it had no effect, so no second try is needed to know. */
  readonly isShown?: boolean;
  readonly firstDelayMs?: number;
}

/**
 * Twice the same with nothing else done in between had no effect. What others undo each time takes more tries to
 * recognise.
 */
const WITHOUT_EFFECT = 2;
const UNDONE = 5;
/** What comes back after longer is a new matter. */
const MEMORY_MS = 10_000;
/** etcd refuses changes for some seconds after each of its own. */
const PATIENCE_MS = 10_000;
const FIRST_DELAY_MS = 2_000;
/**
 * What is undone by others is left alone for longer than what fails, which may be over any moment, or what etcd does
 * not take yet.
 */
const LAST_DELAY_MS = { "without-effect": 60_000, failed: 15_000, refused: 5_000 } as const;

/** What this process remembers of actions that came to nothing, by cluster. */
export class StallMemory {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #clusters = new Map<string, StallsOfOne>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** An edit of the spec may be what it takes, so everything is tried again with it. */
  of(key: string, generation: number | undefined): StallsOfOne {
    const known = this.#clusters.get(key);
    if (known?.generation === generation && known) return known;
    const stalls = new StallsOfOne(generation, this.#clock);
    this.#clusters.set(key, stalls);
    return stalls;
  }

  forget(key: string): void {
    this.#clusters.delete(key);
  }
}

export class StallsOfOne {
  readonly generation: number | undefined;
  readonly #clock: Pick<Clock, "monotonic">;
  #stalls: ReadonlyMap<string, Stall> = new Map();
  /** What was carried out last. */
  #last: string | undefined;
  readonly #told = new Set<string>();

  constructor(generation: number | undefined, clock: Pick<Clock, "monotonic">) {
    this.generation = generation;
    this.#clock = clock;
  }

  all(): Stalled[] {
    const nowMs = this.#clock.monotonic();
    return [...this.#stalls.values()]
      .filter(({ delayMs }) => delayMs > 0)
      .map(({ key, kind, names, message, came, why, lastMs, delayMs }) => {
        return { key, kind, names, message, came, why, leftMs: Math.max(0, lastMs + delayMs - nowMs) };
      });
  }

  noteOutcome(action: Action, outcome: ActionOutcome): void {
    const { content, target } = keysOf(action);
    const isInARow = this.#last === content;
    this.#last = content;
    // It does not fail any more.
    this.#keep(({ key }) => key !== target);
    if (outcome.kind === "done") {
      this.#note(action, { key: content, came: "without-effect", why: "it had no effect", isInARow });
    } else if (outcome.isUndone) {
      this.#note(action, { key: content, came: "without-effect", why: outcome.why, isInARow, isShown: true });
    } else {
      const firstDelayMs = outcome.retryMs;
      this.#note(action, { key: content, came: "refused", why: outcome.why, isInARow: true, firstDelayMs });
    }
  }

  noteFailure(action: Action, error: Error): void {
    this.#note(action, { key: keysOf(action).target, came: "failed", why: refusalInWords(error), isInARow: true });
  }

  /**
   * What is not planned any more had its effect after all, or the world is another one. That others undo it shows
   * later.
   */
  keepOnly(wanted: readonly Action[]): void {
    if (this.#stalls.size === 0) return;
    const keys = keysOfAll(wanted);
    const nowMs = this.#clock.monotonic();
    this.#keep((stall) => keys.has(stall.key) || (stall.came !== "refused" && isRemembered(stall, nowMs)));
    for (const key of this.#told) if (!this.#stalls.has(key)) this.#told.delete(key);
  }

  /** Those that are planned all the same, each once. */
  news(wanted: readonly Action[]): readonly Stalled[] {
    const keys = keysOfAll(wanted);
    const news = this.all().filter(({ key }) => keys.has(key) && !this.#told.has(key));
    for (const { key } of news) this.#told.add(key);
    return news;
  }

  #note(
    action: Action,
    { key, came, why, isInARow, isShown = false, firstDelayMs = FIRST_DELAY_MS }: CameToNothing,
  ): void {
    const nowMs = this.#clock.monotonic();
    const known = this.#stalls.get(key);
    // The client that undoes it writes to the same object: a conflict in between is no end of that.
    if (came === "refused" && known?.came === "without-effect" && isRemembered(known, nowMs)) return;
    const old = known?.came === came && isRemembered(known, nowMs) ? known : undefined;
    const [times, inARow] = [(old?.times ?? 0) + 1, isInARow && old ? old.inARow + 1 : 1];
    const counted = { came, times, inARow, sinceMs: old?.sinceMs ?? nowMs, lastMs: nowMs };
    const isStalled = isShown || (old?.delayMs ?? 0) > 0 || isTooMuch(counted);
    const delayMs = isStalled ? Math.min(LAST_DELAY_MS[came], Math.max(firstDelayMs, 2 * (old?.delayMs ?? 0))) : 0;
    const { kind, message } = action;
    const stall = { ...counted, key, kind, names: namesIn(action), message, why, delayMs };
    this.#stalls = new Map([...this.#stalls, [key, stall]]);
  }

  #keep(isKept: (stall: Stall) => boolean): void {
    this.#stalls = new Map([...this.#stalls].filter(([, stall]) => isKept(stall)));
  }
}

function isTooMuch({
  came,
  times,
  inARow,
  sinceMs,
  lastMs,
}: Omit<Stall, keyof Stalled | "delayMs"> & Pick<Stall, "came">) {
  if (came === "refused") return lastMs - sinceMs >= PATIENCE_MS;
  return inARow >= WITHOUT_EFFECT || times >= UNDONE;
}

function isRemembered({ lastMs, delayMs }: Stall, nowMs: number): boolean {
  return nowMs - lastMs < MEMORY_MS + delayMs;
}

function keysOfAll(actions: readonly Action[]): ReadonlySet<string> {
  return new Set(actions.flatMap((action) => Object.values(keysOf(action))));
}

/** Whether an action has come to nothing so far. */
export function stallOf(action: Action, { stalled = [] }: { readonly stalled?: readonly Stalled[] | undefined }) {
  if (stalled.length === 0) return undefined;
  const keys = Object.values(keysOf(action));
  const own = stalled.filter(({ key }) => keys.includes(key));
  return own.find(({ leftMs }) => leftMs > 0) ?? own[0];
}

/**
 * What identifies an action from one reconcile to the next: its kind and all it is to do, but not the versions of
 * objects, which change by themselves. Where it fails, the values to be written do not matter either: those of the next
 * try may be others.
 */
export function keysOf(action: Action): { readonly content: string; readonly target: string } {
  const { reason: _, message: __, ...step } = action;
  const content = JSON.stringify(step, (field, value: unknown) => (VARIES.has(field) ? undefined : value));
  return { content, target: `${action.kind} ${namesIn(action).join(" ")}` };
}

const VARIES: ReadonlySet<string> = new Set(["resourceVersion", "present", "successor"]);

export function namesIn(action: Action): readonly string[] {
  const names = new Set<string>();
  JSON.stringify(action, (field, value: unknown) => {
    if (field === "name" && typeof value === "string") names.add(value);
    return field === "ownerReferences" || field === "present" ? undefined : value;
  });
  return [...names].sort();
}
