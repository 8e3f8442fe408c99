// Far below what the API server takes for a message, and more than anybody reads.
const LONGEST = 4096;

/** A message that fits into the status however much there is to say; the most serious comes first, so the end may go. */
export function cut(message: string): string {
  return message.length <= LONGEST ? message : `${message.slice(0, LONGEST - 1)}…`;
}
