import type { Clock } from "@etcd-operator/kubernetes-client";

export interface WorkersOptions {
  /** As many as there are while work goes quickly. */
  readonly usual: number;
  /** As many as there are at most. */
  readonly most: number;
  /** Undefined at the end. */
  readonly take: () => Promise<string | undefined>;
  readonly handle: (key: string) => Promise<void>;
  readonly clock: Pick<Clock, "after">;
}

/** Longer than what is only calculated, and shorter than what waits for an answer. */
const SLOW_MS = 50;

/**
 * Handles one key after another, several at a time, until there are no more. One that takes long waits for something,
 * such as for a member that does not answer: meanwhile another worker takes its place, so that the other keys do not
 * wait with it.
 */
export async function runWorkers(options: WorkersOptions): Promise<void> {
  const { usual, most, take, handle, clock } = options;
  const running = new Set<Promise<void>>();
  const start = () => {
    const worker: Promise<void> = work().finally(() => running.delete(worker));
    running.add(worker);
  };
  const work = async () => {
    for (let key = await take(); key !== undefined; key = await take()) {
      let isReplaced = false;
      const replace = () => {
        isReplaced = running.size < most;
        if (isReplaced) start();
      };
      const cancel = most > usual ? clock.after(SLOW_MS, replace) : () => undefined;
      await handle(key).finally(cancel);
      if (isReplaced) return;
    }
  };
  for (let count = 0; count < usual; count += 1) start();
  while (running.size > 0) await Promise.all(running);
}
