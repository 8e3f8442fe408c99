import { KubernetesError } from "@etcd-operator/kubernetes-client";
import { calmNeededMs, isCalm, isToBeSpread } from "../membership/rebalance.rule.ts";
import { crowdOf } from "../membership/spread.rule.ts";
import { LASTING } from "../model/lasting.ts";
import type { Observation, SpreadSeen } from "../model/observation.ts";
import { situationOf } from "../model/situation.ts";
import type { Source } from "./kubernetes-source.ts";
import { nodeSeen } from "./node-seen.ts";

/**
 * What moving a member away from a crowded node or zone needs to know. Nodes are read again only when nothing else
 * stands in the way.
 */
export async function spreadSeen(
  seen: Observation,
  attempts: number,
  source: Pick<Source, "nodes" | "backups">,
): Promise<SpreadSeen | undefined> {
  const now = situationOf(seen);
  if (!isToBeSpread(now)) return undefined;
  if (!isCalm(now) || seen.seenFor.ms(LASTING.calm) < calmNeededMs(attempts)) return { attempts };
  try {
    const [nodes, backups] = await Promise.all([source.nodes(), source.backups()]);
    const isBackupRunning = backups.some(({ status }) => status?.progress !== undefined);
    return { attempts, nodes: nodes.map((node) => nodeSeen(node, now.spec)), isBackupRunning };
  } catch (error) {
    if (!(error instanceof KubernetesError) || error.code === "canceled") throw error;
    const isBarred = error.code === "forbidden";
    const why = isBarred
      ? "grant the operator permission to list nodes, or move a member manually"
      : `nodes cannot be read: ${error.message}`;
    return { attempts, why };
  }
}

interface Surges {
  readonly attempts: number;
  readonly isOn: boolean;
}

/**
 * How many members have come to relieve a crowded node or zone since it has been one. Lost with the process, which then
 * waits its first wait again.
 */
export class SurgeMemory {
  readonly #ofClusters = new Map<string, Surges>();

  learn(key: string, seen: Omit<Observation, "seenFor">): number {
    const now = situationOf({ ...seen, seenFor: { ms: () => 0 } });
    const known = this.#ofClusters.get(key) ?? { attempts: 0, isOn: false };
    // While there is one voter more, whether places are crowded says nothing about when it will have gone.
    if (!now.isConfirmed || now.voters.length > now.spec.size) return known.attempts;
    if (!crowdOf(now)) {
      this.#ofClusters.delete(key);
      return 0;
    }
    const isOn = now.voters.length >= now.spec.size && (now.listed.length > now.spec.size || now.intents.length > 0);
    const attempts = known.attempts + Number(isOn && !known.isOn);
    this.#ofClusters.set(key, { attempts, isOn });
    return attempts;
  }

  forget(key: string): void {
    this.#ofClusters.delete(key);
  }
}
