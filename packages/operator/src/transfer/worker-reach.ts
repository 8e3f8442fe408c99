import { type Clock, linkedAbort, pause } from "@etcd-operator/kubernetes-client";
import type { WorkerEndpoint } from "@etcd-operator/object-store";
import { openStore, WorkerClient } from "@etcd-operator/object-store";
import { takeDirectly } from "./direct/take-directly.ts";
import type { OpenVolume } from "./volume/open-volume.ts";

/** How a worker is reached once its pod has an address; tests have another way. */
export interface WorkerReach {
  /** Whether it answers now; the reason for no answer is not reported. */
  answers(endpoint: WorkerEndpoint, signal: AbortSignal): Promise<boolean>;
  /** Uses its volume, and keeps it awake until that is closed. */
  open(claimName: string, endpoint: WorkerEndpoint, clock: Clock): Promise<OpenVolume>;
}

const ANSWER_MS = 5_000;

export const overTheNetwork: WorkerReach = {
  async answers(endpoint, signal) {
    const client = new WorkerClient(endpoint, { attempts: 1, idleTimeoutMs: ANSWER_MS });
    try {
      return await isAnswering(client, signal);
    } finally {
      client.close();
    }
  },
  async open(claimName, endpoint, clock) {
    const store = await openStore({ kind: "volume", claimName, ...endpoint });
    const client = new WorkerClient(endpoint, {});
    const stopKeeping = keepAwake(clock, endpoint);
    return {
      store,
      takeDirectly: (taking, stop) => takeDirectly(client, `put volume '${claimName}/${taking.key}'`, taking, stop),
      async close() {
        stopKeeping();
        client.close();
        await store.close();
      },
    };
  },
};

async function isAnswering(client: WorkerClient, signal: AbortSignal): Promise<boolean> {
  return client.ask({ operation: "ask a worker", method: "GET", path: "/" }, signal).then(
    () => true,
    () => false,
  );
}

// Well below the time after which a worker assumes that its operator has ended.
const KEEP_AWAKE_MS = 60_000;

/** A worker without requests ends, and some work between two requests takes long. */
function keepAwake(clock: Clock, endpoint: WorkerEndpoint): () => void {
  const { signal, abort } = linkedAbort(undefined);
  const client = new WorkerClient(endpoint, { attempts: 1 });
  const keep = async () => {
    for (;;) {
      await pause(clock, KEEP_AWAKE_MS, signal);
      if (signal.aborted) return client.close();
      await isAnswering(client, signal);
    }
  };
  void keep();
  return () => abort();
}
