import { Attempts, calledOff } from "./attempts.ts";
import { IDLE_TIMEOUT_MS, interrupted } from "./guarded-call.ts";
import { type IdleGuard, idleGuard } from "./idle-guard.ts";
import type { GetOptions } from "./object-store.ts";
import { ObjectStoreError } from "./object-store-error.ts";
import type { StoreTuning } from "./store-settings.ts";

/** As much has to come within twice the time that a server may be silent. */
const LEAST_BYTES = 16_384;

/** A part of an object on its way. */
export interface OpenedBody {
  readonly body: AsyncIterable<Uint8Array>;
  /** How many bytes it has; fewer means that the connection broke. NaN where the server does not say. */
  readonly sizeBytes: number;
  /** Differs when the object was replaced. */
  readonly version: string;
}

export interface OpenRange {
  readonly offset: number;
  /** All that follow when absent. */
  readonly length: number | undefined;
  /** Only this version will do; another is 'corrupt'. */
  readonly version: string | undefined;
  readonly signal: AbortSignal;
}

/** What a store has to know for `resumedGet`. */
export interface RangeSource {
  /** As in "get s3 'bucket/key'". */
  readonly operation: string;
  /** Undefined when the object ends before the range begins. Throws ObjectStoreErrors. */
  open(range: OpenRange): Promise<OpenedBody | undefined>;
}

/** Reads an object, and goes on where it was when the connection breaks or falls silent. */
export async function* resumedGet(
  source: RangeSource,
  { offset = 0, length, signal }: GetOptions,
  tuning: StoreTuning,
): AsyncGenerator<Uint8Array> {
  const attempts = new Attempts(tuning, signal);
  const place: Place = { offset, left: length, version: undefined };
  for (;;) {
    const guard = idleGuard(signal, tuning.idleTimeoutMs ?? IDLE_TIMEOUT_MS);
    try {
      for await (const chunk of readOn(source, place, guard, tuning.idleTimeoutMs ?? IDLE_TIMEOUT_MS)) {
        attempts.progressed();
        yield chunk;
        if (signal?.aborted) throw calledOff(source.operation);
      }
      return;
    } catch (error) {
      const failure = failureOf(error, source, guard, signal);
      // To begin where it was would only give the same pace another time.
      if (place.isTooSlow) throw failure;
      await attempts.failed(failure);
    } finally {
      guard.end();
    }
  }
}

/** Where the next byte is to come from. */
interface Place {
  offset: number;
  left: number | undefined;
  version: string | undefined;
  isTooSlow?: boolean;
}

async function* readOn(
  source: RangeSource,
  place: Place,
  guard: IdleGuard,
  patienceMs: number,
): AsyncGenerator<Uint8Array> {
  if (place.left === 0) return;
  const { offset, left, version } = place;
  const opened = await source.open({ offset, length: left, version, signal: guard.signal });
  if (!opened) return;
  place.version = opened.version;
  guard.touch();
  const pace = { waitingSince: performance.now(), waitedMs: 0, bytes: 0 };
  for await (const received of opened.body) {
    if (!keepsPace(pace, received.length, patienceMs)) {
      place.isTooSlow = true;
      throw unavailable(source, `the server sent ${pace.bytes} bytes in ${Math.round(pace.waitedMs / 1_000)} s`);
    }
    // Some servers give the whole object for a part of it: what was not asked for is not read.
    const chunk = received.subarray(0, place.left);
    place.offset += chunk.length;
    if (place.left !== undefined) place.left -= chunk.length;
    if (place.offset - offset > opened.sizeBytes) throw moreThanAnnounced(source, opened.sizeBytes);
    // The reader may take its time.
    guard.rest();
    if (chunk.length > 0) yield chunk;
    if (chunk.length < received.length) return;
    pace.waitingSince = performance.now();
    guard.touch();
  }
  const missing = opened.sizeBytes - (place.offset - offset);
  if (missing > 0) throw unavailable(source, `the connection ended ${missing} bytes too early`);
}

interface Pace {
  waitingSince: number;
  waitedMs: number;
  bytes: number;
}

/** A byte now and then is no silence, and gets nowhere all the same. Only what is waited for the server counts. */
function keepsPace(pace: Pace, bytes: number, patienceMs: number): boolean {
  pace.waitedMs += performance.now() - pace.waitingSince;
  pace.bytes += bytes;
  if (pace.bytes >= LEAST_BYTES) [pace.bytes, pace.waitedMs] = [0, 0];
  return pace.waitedMs <= 2 * patienceMs;
}

function moreThanAnnounced({ operation }: RangeSource, sizeBytes: number): ObjectStoreError {
  const message = `the server announced ${sizeBytes} bytes and sends more: check that its address is one of a store`;
  return new ObjectStoreError("corrupt", { operation, message });
}

function failureOf(error: unknown, source: RangeSource, guard: IdleGuard, signal: AbortSignal | undefined): unknown {
  const reason = interrupted(source.operation, guard, signal);
  if (reason || error instanceof ObjectStoreError) return reason ?? error;
  // The body's own errors: the answer had begun well.
  return unavailable(source, `the connection broke (${error instanceof Error ? error.message : String(error)})`);
}

function unavailable({ operation }: RangeSource, message: string): ObjectStoreError {
  return new ObjectStoreError("unavailable", { operation, message: `${message}; try again later` });
}
