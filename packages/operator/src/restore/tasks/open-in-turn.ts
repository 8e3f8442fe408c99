import type { Turns } from "@etcd-operator/controller-runtime";
import { expectAnswer } from "../../transfer/store/expect-answer.ts";
import type { OpenBackupStore } from "../../transfer/store/open-backup-store.ts";

/**
 * Opens a store, and waits until it may be streamed from or to, because that takes memory. The turn ends when the store
 * is closed. A caller that waits for something else, too, does so before: `isNeeded` resolves when that is over.
 */
export async function openInTurn(
  turns: Pick<Turns, "take">,
  open: (signal: AbortSignal) => Promise<OpenBackupStore>,
  signal: AbortSignal,
  isNeeded: () => Promise<unknown> = async () => undefined,
): Promise<OpenBackupStore> {
  const opened = await open(signal);
  try {
    await expectAnswer(opened, signal);
    await isNeeded();
    const leave = await turns.take(signal);
    const close = () => {
      leave();
      return opened.close();
    };
    return { ...opened, close };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
