import type { Clock, RecordedEvent } from "@etcd-operator/kubernetes-client";
import type { Outcome } from "./outcome.ts";
import type { Pass } from "./pass.ts";

/** What a reconcile decided on: the reason and the message become the condition, the Event and the log line. */
export interface PlannedAction {
  /** "none" and "hold" change nothing. */
  readonly kind: string;
  /** One word in CamelCase. */
  readonly reason: string;
  readonly message: string;
  /** Of a hold that time itself may end. */
  readonly recheckAfterMs?: number;
}

interface Done {
  readonly kind: "done";
}

/** What came of an action. What failed is thrown. */
export type ActionOutcome =
  | Done
  /** The world was not what the action was planned for, or did not allow it yet. */
  | { readonly kind: "postponed"; readonly why: string; readonly retryMs: number }
  /** The API server does not accept what the user asks for. */
  | { readonly kind: "refused"; readonly why: string };

/** The types that the steps of one kind of object share. */
export interface KindOfObject {
  /** What was observed, with the object itself. */
  seen: unknown;
  /** An action; or more, where rules may be passed over. */
  plan: unknown;
  action: PlannedAction;
  outcome: ActionOutcome;
  status: object;
  event: RecordedEvent;
}

/** What a reconcile is made of. */
export interface Steps<K extends KindOfObject> {
  /** Undefined when there is nothing to reconcile: the object is gone, or not this operator's. */
  readonly observe: (key: string, pass: Pass, signal: AbortSignal) => Promise<K["seen"] | undefined>;
  readonly plan: (seen: K["seen"]) => K["plan"];
  readonly act: (seen: K["seen"], action: K["action"], pass: Pass, signal: AbortSignal) => Promise<K["outcome"]>;
  readonly statusAfter: (seen: K["seen"], action: K["action"], outcome: K["outcome"] | Done) => K["status"];
  readonly isWorthWriting: (seen: K["seen"], next: K["status"]) => boolean;
  /** Fails when the object has changed since it was seen. Gives what was seen with the object as it is then. */
  readonly writeStatus: (
    seen: K["seen"],
    status: K["status"],
    pass: Pass,
    signal: AbortSignal,
  ) => Promise<NonNullable<K["seen"]>>;
  readonly eventsOf: (
    seen: K["seen"],
    action: K["action"],
    outcome: K["outcome"] | Done,
    status: K["status"],
  ) => readonly K["event"][];
  readonly record: (seen: K["seen"], event: K["event"]) => void;
  readonly clock: Pick<Clock, "monotonic" | "after">;
}

/** "ActionFailed" of what failed, or the action's own reason. */
interface Because<K extends KindOfObject> {
  readonly reason: K["action"]["reason"] | "ActionFailed";
  readonly message: string;
}

/** What is special to a kind. */
export interface Special<K extends KindOfObject> {
  /** Decides on an action and carries it out with `round.act`. */
  readonly attempt: (seen: K["seen"], round: Round<K>) => Promise<Attempt<K>>;
  /** What the status reports in place of an action that hangs or has failed. */
  readonly obstructed: (because: Because<K>) => K["action"];
  /** Whether an administrator has to look at a failure that has lasted for so long. Always, where absent. */
  readonly needsALook?: (error: Error, lastedMs: number) => boolean;
  /**
   * Changes the object itself, so the status cannot be written for the version that was seen. The next reconcile does.
   */
  readonly changesObject?: (action: K["action"]) => boolean;
  /** Names of fields of the status that change by themselves. */
  readonly unsteadyFields?: RegExp;
  /** The status is written: only now may what was done be forgotten. */
  readonly settle?: (seen: K["seen"], action: K["action"]) => Promise<void>;
  /** When to reconcile again though nothing happens, because time itself will change something. */
  readonly recheckMs?: (seen: K["seen"]) => number | undefined;
  /** How an object rests that nothing can go wrong with unnoticed; undefined for any other. */
  readonly rest?: (seen: K["seen"]) => Outcome | undefined;
  /** The object is gone: ends what is under way for it. */
  readonly forget?: (key: string) => void | Promise<void>;
}

/** What an attempt of one reconcile has at hand. */
export interface Round<K extends KindOfObject> {
  readonly key: string;
  readonly pass: Pass;
  readonly signal: AbortSignal;
  readonly act: (seen: K["seen"], action: K["action"]) => Promise<Acted<K>>;
}

export interface Acted<K extends KindOfObject> {
  readonly outcome: K["outcome"];
  /** What was seen, with the object as it was written meanwhile. */
  readonly picture: K["seen"];
}

export interface Attempt<K extends KindOfObject> extends Acted<K> {
  readonly action: K["action"];
  /** When to reconcile again at the latest, for reasons of the attempt itself. */
  readonly againMs?: readonly number[];
}

/** The usual attempt: one plan, one action. */
export function planAndAct<K extends KindOfObject>(plan: (seen: K["seen"]) => K["action"]): Special<K>["attempt"] {
  return async (seen, { act }) => {
    const action = plan(seen);
    return { action, ...(await act(seen, action)) };
  };
}

/** Whether an action changes anything. */
export function isEffective({ kind }: Pick<PlannedAction, "kind">): boolean {
  return kind !== "none" && kind !== "hold";
}
