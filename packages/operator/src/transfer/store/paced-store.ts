import type { Clock } from "@etcd-operator/kubernetes-client";
import { linkedAbort } from "@etcd-operator/kubernetes-client";
import type { GetOptions, ObjectStore, PutOptions, StoredObject } from "@etcd-operator/object-store";
import { ObjectStoreError } from "@etcd-operator/object-store";
import type { TakeDirectly } from "../direct/take-directly.ts";
import { LEAST_PACE, type Pace, PaceWatch } from "./pace-watch.ts";

/**
 * A store whose transfers move at a least rate, or end with "too-slow". A byte now and then is no silence, and would
 * keep a turn to stream, which others wait for.
 */
export function pacedStore(store: ObjectStore, clock: Clock, pace: Pace = LEAST_PACE): ObjectStore {
  return {
    description: store.description,
    put: (key, source, options) => pacedPut(store, { key, source, options, clock, pace }),
    get: (key, options) => pacedGet(store, { key, options, clock, pace }),
    list: (prefix, options) => store.list(prefix, options),
    delete: (key, options) => store.delete(key, options),
    stat: (key, options) => store.stat(key, options),
    close: () => store.close(),
  };
}

/** The same for the short way from a member to a store. */
export function pacedDirectly(takeDirectly: TakeDirectly, clock: Clock, pace: Pace = LEAST_PACE): TakeDirectly {
  return async (taking, signal) => {
    let seen = 0;
    const operation = `put '${taking.key}' directly`;
    return await watched({ operation, signal, clock, pace }, (stop, watch) => {
      const onProgress = (bytes: number) => {
        watch.moved(bytes - seen);
        seen = bytes;
        taking.onProgress(bytes);
      };
      const beforeEnd = async () => {
        await taking.beforeEnd();
        watch.allRead();
      };
      return takeDirectly({ ...taking, onProgress, beforeEnd }, stop);
    });
  };
}

interface Watched {
  readonly clock: Clock;
  readonly pace: Pace;
}

interface Putting extends Watched {
  readonly key: string;
  readonly source: AsyncIterable<Uint8Array>;
  readonly options: PutOptions | undefined;
}

async function pacedPut(store: ObjectStore, { key, source, options, ...rest }: Putting): Promise<StoredObject> {
  const operation = `put '${key}' to ${store.description}`;
  return await watched({ operation, signal: options?.signal, ...rest }, (signal, watch) =>
    store.put(key, counted(source, watch), { ...options, signal }),
  );
}

async function* counted(source: AsyncIterable<Uint8Array>, watch: PaceWatch): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    watch.moved(chunk.length);
    yield chunk;
  }
  watch.allRead();
}

async function watched<Result>(
  {
    operation,
    signal,
    clock,
    pace,
  }: Watched & { readonly operation: string; readonly signal: AbortSignal | undefined },
  run: (signal: AbortSignal, watch: PaceWatch) => Promise<Result>,
): Promise<Result> {
  const abort = linkedAbort(signal);
  const watch = new PaceWatch(clock, pace, (why) => abort.abort(tooSlow(operation, why)));
  try {
    return await run(abort.signal, watch);
  } catch (error) {
    throw whyEnded(abort.signal, error);
  } finally {
    watch.end();
    abort.unlink();
  }
}

interface Getting extends Watched {
  readonly key: string;
  readonly options: GetOptions | undefined;
}

/** Time that the reader takes does not count against the store. */
async function* pacedGet(
  store: ObjectStore,
  { key, options, clock, pace }: Getting,
): AsyncGenerator<Uint8Array, void, undefined> {
  const operation = `get '${key}' from ${store.description}`;
  const abort = linkedAbort(options?.signal);
  const watch = new PaceWatch(clock, pace, (why) => abort.abort(tooSlow(operation, why)));
  try {
    for await (const chunk of store.get(key, { ...options, signal: abort.signal })) {
      watch.moved(chunk.length);
      watch.rest();
      yield chunk;
      watch.goOn();
    }
  } catch (error) {
    throw whyEnded(abort.signal, error);
  } finally {
    watch.end();
    abort.unlink();
  }
}

function tooSlow(operation: string, why: string): ObjectStoreError {
  const message = `${why}: aborted so that other transfers get a turn; check why the store or the network is slow`;
  return new ObjectStoreError("too-slow", { operation, message });
}

/** The error of a cancelled call is not the cause. */
function whyEnded({ aborted, reason }: AbortSignal, error: unknown): unknown {
  return aborted && reason instanceof ObjectStoreError && reason.code === "too-slow" ? reason : error;
}
