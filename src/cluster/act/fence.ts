import { ActionError } from "./action-error.ts";

/**
 * Asked right before every write. A process that was paused finds out here that its Lease has run out; what it can still do between
 * the question and the write is bounded by the preconditions of the write itself.
 */
export type Fence = (operation: string) => void;

export function fenceOf(isLeading: () => boolean): Fence {
  return (operation) => {
    if (!isLeading()) throw new ActionError("not-leading", operation, "this operator does not lead any more");
  };
}
