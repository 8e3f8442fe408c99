import type { Clock } from "@etcd-operator/kubernetes-client";
import { expectAnswer } from "../../transfer/store/expect-answer.ts";
import type { OpenBackupStore } from "../../transfer/store/open-backup-store.ts";

/** As long as it takes to stop the old members, as a rule. */
const KEPT_MS = 30_000;

interface Kept {
  readonly attempt: string;
  readonly opened: OpenBackupStore;
  readonly cancel: () => void;
}

/** Stores that a restore has used, and will use again in a moment: to open a volume takes a pod. */
export class KeptStores {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The store that was kept for this attempt, if it still answers. */
  async take(key: string, attempt: string, signal: AbortSignal): Promise<OpenBackupStore | undefined> {
    const kept = this.#remove(key);
    if (!kept) return undefined;
    const { opened } = kept;
    const isFit = kept.attempt === attempt && (await answers(opened, signal));
    if (!isFit) await opened.close();
    return isFit ? opened : undefined;
  }

  /** Instead of closing it; it is closed later if it is not used. */
  async keep(key: string, attempt: string, opened: OpenBackupStore): Promise<void> {
    await this.drop(key);
    const cancel = this.#clock.after(KEPT_MS, () => void this.drop(key));
    this.#kept.set(key, { attempt, opened, cancel });
  }

  async drop(key: string): Promise<void> {
    await this.#remove(key)?.opened.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kept.keys()].map((key) => this.drop(key)));
  }

  #remove(key: string): Kept | undefined {
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    kept?.cancel();
    return kept;
  }
}

async function answers(opened: OpenBackupStore, signal: AbortSignal): Promise<boolean> {
  return expectAnswer(opened, signal).then(
    () => true,
    () => false,
  );
}
