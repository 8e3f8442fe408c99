import { humanBytes } from "@etcd-operator/kubernetes-client";

interface Moved {
  readonly bytes?: number | undefined;
  readonly totalBytes?: number | undefined;
}

/** Human-readable progress of a transfer; empty when the total is unknown. */
export function progressShown({ bytes, totalBytes }: Moved): { readonly percent?: number; readonly done?: string } {
  if (bytes === undefined || !totalBytes) return {};
  // What grows meanwhile may come to more than was expected.
  const percent = Math.min(100, Math.floor((bytes / totalBytes) * 100));
  return { percent, done: `${percent} % of ${humanBytes(totalBytes)}` };
}
