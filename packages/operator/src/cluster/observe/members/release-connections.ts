import type { Reconcile } from "@etcd-operator/controller-runtime";

/**
 * The number of clusters whose member connections are kept: they cost less memory than opening them again for each
 * reconcile costs time.
 */
const FEW = 32;

export interface Connections {
  /** How many clusters there are. */
  clusters(): number;
  release(key: string): void;
}

/**
 * Closes what is kept for the next reconcile once one of many clusters is idle: that reconcile may be minutes away.
 * After a start all clusters are reconciled within seconds, and the connections to their members would all be open at
 * one time.
 */
export function releasingConnections(reconcile: Reconcile, { clusters, release }: Connections): Reconcile {
  return async (key, signal, pass) => {
    const outcome = await reconcile(key, signal, pass);
    if (outcome.kind === "rest" && clusters() > FEW) release(key);
    return outcome;
  };
}
