/** Asked right before every write; throws when this process may not be the one any more. */
export type Fence = (operation: string) => void;

/** Another operator may be at work by now. */
class NotLeading extends Error {
  override readonly name = "NotLeading";
  readonly code = "not-leading";
}

/**
 * A process that was paused finds out here that its Lease has run out; what it can still do between the question and
 * the write is bounded by the preconditions of the write itself.
 */
export function fenceOf(isLeading: () => boolean): Fence {
  return (operation) => {
    if (!isLeading()) throw new NotLeading(`${operation} was not done: this operator does not lead any more`);
  };
}
