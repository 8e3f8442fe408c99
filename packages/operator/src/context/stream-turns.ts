import { Turns } from "@etcd-operator/controller-runtime";

const AT_ONCE = 2;

/**
 * Turns to stream a snapshot, which keeps a connection, a member or a pod, and megabytes of memory busy. There is one
 * of these in a process, whichever controllers it has, so that its memory has a bound however many objects there are.
 */
export function streamTurns({ ofManyNamespaces = false } = {}): Turns {
  // One whose store is slow leaves a turn to the others.
  return new Turns(AT_ONCE, ofManyNamespaces ? AT_ONCE - 1 : AT_ONCE);
}

/** A restore does not queue behind backups and drills, nor a cluster that is stopped already behind a verification. */
export const STREAM_URGENCY = { backup: 0, drill: 0, verify: 1, save: 1, push: 2 } as const;
