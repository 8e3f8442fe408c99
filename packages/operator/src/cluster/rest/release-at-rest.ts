import type { Reconcile } from "@etcd-operator/controller-runtime";

/** To the members of so many clusters connections are kept: they cost less memory than making them anew for each look costs time. */
const FEW = 32;

export interface Kept {
  /** How many clusters there are. */
  clusters(): number;
  letGo(key: string): void;
}

/**
 * Lets go of what is kept for the next look once one of many clusters is found at rest: that look may be minutes away. After a start all
 * clusters are looked at within seconds, and the connections to their members would all be open at one time.
 */
export function lettingGoAtRest(reconcile: Reconcile, { clusters, letGo }: Kept): Reconcile {
  return async (key, signal, pass) => {
    const outcome = await reconcile(key, signal, pass);
    if (outcome.kind === "rest" && clusters() > FEW) letGo(key);
    return outcome;
  };
}
