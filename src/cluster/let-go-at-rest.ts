import type { Reconcile } from "../controller/pass.ts";

/**
 * Lets go of what is kept for the next look once a cluster is found at rest: that may be minutes away. After a start all clusters are
 * looked at within seconds, and the connections to their members, kept for some seconds each, would all be open at one time.
 */
export function lettingGoAtRest(reconcile: Reconcile, letGo: (key: string) => void): Reconcile {
  return async (key, signal, pass) => {
    const outcome = await reconcile(key, signal, pass);
    if (outcome.kind === "rest") letGo(key);
    return outcome;
  };
}
