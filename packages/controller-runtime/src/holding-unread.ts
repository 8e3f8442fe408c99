import type { Clock, EventRecorder, KubeClient, KubeObject, Stored } from "@etcd-operator/kubernetes-client";
import { conditionAfter, conditionOf, hasCode, sortedJson, UnreadableStatus } from "@etcd-operator/kubernetes-client";
import type { Outcome } from "./outcome.ts";
import type { Pass, Reconcile } from "./pass.ts";
import { type StatusKeeper, StatusPruned } from "./status-keeper.ts";
import { TrackedClient } from "./tracked-client.ts";

type Condition = ReturnType<typeof conditionAfter>;
type WithStatus = KubeObject & { readonly status?: unknown };

export interface HoldingOptions<T extends WithStatus> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly recorder: Pick<EventRecorder, "record">;
  readonly keeper: StatusKeeper<T>;
  /** Asked before each write. */
  readonly fence: (what: string) => void;
  /** As it is cached; undefined when it is gone, or not this operator's. */
  readonly find: (key: string) => Stored<T> | undefined;
  /** Why the CRD is too old, if that is known. */
  readonly outdated?: (() => string | undefined) | undefined;
  /** The conditions that say so, and whether they hold then; none for what is over and keeps its last word. */
  readonly conditionsOf: (stored: Stored<T>) => Readonly<Record<string, boolean | undefined>>;
  /** The field of the status that has the reason in words. */
  readonly reasonField: string;
}

const RECHECK_MS = 30_000;
const UNREADABLE = "StatusUnreadable";
const OUTDATED = "CRDOutdated";

/** Why an object is left alone, in a word: the reason of the Event and of the conditions. */
export type HeldReason = typeof UNREADABLE | typeof OUTDATED;

/**
 * Keeps a controller from objects whose status this release cannot read, or the API server cannot store: what is
 * dropped from a status is memory, and what is done without it may cost data. Nothing but the conditions of such an
 * object is written, and not even they where a write would make the API server forget.
 */
export function holdingUnread<T extends WithStatus>(reconcile: Reconcile, options: HoldingOptions<T>): Reconcile {
  const said = new Map<string, string>();
  const say = (key: string, reason: HeldReason, message: string, { logger }: Pass): Outcome => {
    const stored = options.find(key);
    if (said.get(key) !== message) {
      said.set(key, message);
      logger.warn({ reason }, message);
      if (stored) options.recorder.record(stored, { type: "Warning", reason, message });
    }
    return { kind: "retry", afterMs: RECHECK_MS, why: message };
  };
  return async (key, signal, pass) => {
    const stored = options.find(key);
    if (!stored) options.keeper.forget(key);
    const outdated = stored && (await whyOutdated(options, stored, pass, signal));
    if (outdated !== undefined) return say(key, OUTDATED, outdated, pass);
    try {
      const outcome = await reconcile(key, signal, pass);
      said.delete(key);
      return outcome;
    } catch (error) {
      if (error instanceof StatusPruned) return say(key, OUTDATED, error.message, pass);
      if (!(error instanceof UnreadableStatus)) throw error;
      const outcome = say(key, UNREADABLE, error.message, pass);
      await tell(options, key, error, pass, signal);
      return outcome;
    }
  };
}

async function whyOutdated<T extends WithStatus>(
  { client, keeper, fence, outdated }: HoldingOptions<T>,
  stored: Stored<T>,
  { writes }: Pass,
  signal: AbortSignal,
): Promise<string | undefined> {
  const known = outdated?.();
  if (known !== undefined || keeper.complaint === undefined) return known;
  fence(`writing the status of ${stored.metadata.name}`);
  const isWell = await keeper.recovers(new TrackedClient(client, writes), stored, signal);
  return isWell ? undefined : keeper.complaint;
}

/** In the status, where that leaves all that was not read as it is. */
async function tell<T extends WithStatus>(
  { client, clock, keeper, fence, find, conditionsOf, reasonField }: HoldingOptions<T>,
  key: string,
  { fields, message, stored: unread }: UnreadableStatus,
  { writes, logger }: Pass,
  signal: AbortSignal,
): Promise<void> {
  const stored = find(key);
  const wanted = stored ? conditionsOf(stored) : {};
  if (!stored || Object.keys(wanted).length === 0) return;
  const isOwn = unread.metadata.uid === stored.metadata.uid;
  const isReadable = (field: string) => !isOwn || !fields.some((unreadable) => isWithin(unreadable, `status.${field}`));
  const status = (stored.status ?? {}) as Record<string, unknown>;
  const moment = { nowMs: clock.now(), generation: stored.metadata.generation };
  const next = {
    ...status,
    ...(isReadable(reasonField) && { [reasonField]: message }),
    ...(isReadable("conditions") && { conditions: withConditions(status.conditions, wanted, message, moment) }),
  };
  if (sortedJson(next) === sortedJson(status)) return;
  fence(`writing the status of ${stored.metadata.name}`);
  try {
    await keeper.write(new TrackedClient(client, writes), stored, next, signal);
  } catch (error) {
    // Its CRD may not know the word either; the Event and the log have said it.
    if (!hasCode(error, "invalid")) throw error;
    logger.debug({ err: error }, "the API server refused to restore the status");
  }
}

function withConditions(
  before: unknown,
  wanted: Readonly<Record<string, boolean | undefined>>,
  message: string,
  moment: Parameters<typeof conditionAfter>[3],
): readonly Condition[] {
  const old = (before ?? []) as readonly Condition[];
  const next = Object.entries(wanted).map(([type, isTrue]) =>
    conditionAfter(type, { isTrue, reason: UNREADABLE, message }, conditionOf(old, type), moment),
  );
  return [...old.filter(({ type }) => !Object.hasOwn(wanted, type)), ...next];
}

/** Whether a field is another, or a part of it. */
function isWithin(field: string, outer: string): boolean {
  return field === outer || field.startsWith(`${outer}.`) || field.startsWith(`${outer}[`);
}
