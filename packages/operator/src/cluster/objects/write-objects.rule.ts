import type { Service } from "kubernetes-types/core/v1.d.ts";
import { clientServiceName, disruptionBudgetName, peerServiceName } from "../../api/cluster/cluster-names.ts";
import type { ToWrite } from "../model/action.ts";
import type { ObjectSeen } from "../model/observation.ts";
import { listOf, type Rule, type Situation } from "../model/situation.ts";
import { undecidedRestore } from "../restore/restoring.rule.ts";
import { mergePatch } from "./merge-patch.ts";
import { podDisruptionBudget } from "./pod-disruption-budget.ts";
import { clientService, peerService } from "./service.ts";

/**
 * Members find each other, and clients find them, through the Services: they come first, and changes of other clients
 * are reverted.
 */
export const writeServices: Rule = (now) => {
  const { seen } = now;
  const { objects, cluster } = seen;
  const taken = whyNamesAreTaken(now);
  if (taken) return taken;
  const services = [
    ...toWrite(objects.peerService, peerService(cluster)),
    ...(wouldLeadToPreviousPods(now) ? [] : toWrite(objects.clientService, clientService(cluster))),
  ];
  if (services.length === 0) return undefined;
  const names = listOf(services.map(({ wanted }) => wanted.metadata?.name ?? ""));
  return {
    kind: "write-objects",
    services,
    reason: "WritingServices",
    message: `Creating or updating Service ${names}`,
  };
};

/**
 * Whether the Service of a new cluster would select pods that a deleted EtcdCluster of its name left. Kubernetes sends
 * clients to terminating pods while no other is ready, and what they write there is deleted with those pods.
 */
function wouldLeadToPreviousPods({ seen, status }: Situation): boolean {
  return !status.clusterID && seen.objects.clientService.kind === "missing" && seen.strangers.leftoverPods.length > 0;
}

/**
 * Before a cluster is bootstrapped, all names that it needs are free or its own: its clients would reach whatever the
 * Service of its name leads to, such as another cluster. A running one is looked after all the same.
 */
function whyNamesAreTaken({ seen, status }: Situation): ReturnType<Rule> {
  if (status.clusterID) return undefined;
  const { objects, cluster, pods, orphans = [] } = seen;
  const { name } = cluster.metadata;
  const isFounding = pods.length === 0 && orphans.length === 0 && !undecidedRestore(status);
  const taken = [
    { what: `Service '${peerServiceName(name)}'`, found: objects.peerService, isNeeded: true },
    { what: `Service '${clientServiceName(name)}'`, found: objects.clientService, isNeeded: isFounding },
    {
      what: `PodDisruptionBudget '${disruptionBudgetName(name)}'`,
      found: objects.disruptionBudget,
      isNeeded: isFounding,
    },
  ].flatMap(({ what, found, isNeeded }) => (isNeeded && found.kind === "foreign" ? [{ what, ...found }] : []));
  if (taken.length === 0) return undefined;
  const others = taken.filter(({ isLeftover }) => !isLeftover);
  if (others.length === 0) {
    const message = `Waiting for objects of the deleted EtcdCluster of this name to be deleted: ${listOf(taken.map(({ what }) => what))}`;
    return { kind: "hold", reason: "PreviousObjectsRemain", message };
  }
  const remedy = "rename or delete it, or give the cluster another name";
  const message = others.map(({ what }) => `${what} belongs to another owner: ${remedy}`).join("; ");
  return { kind: "hold", reason: "NameTaken", message };
}

/**
 * The budget follows the number of voters, so it is updated before the next of them is added or removed. It is
 * reverted, too, when its selector or its limit was edited: a budget that selects other pods protects none of ours.
 */
export const writeDisruptionBudget: Rule = ({ seen, voters }) => {
  const { disruptionBudget: found } = seen.objects;
  if (found.kind === "foreign") return undefined;
  const { readyPods = [] } = seen.strangers;
  const wanted = podDisruptionBudget(seen.cluster, voters.length, readyPods.length);
  if (found.kind === "ours" && !mergePatch(wanted, found.object)) return undefined;
  const disruptionBudget = found.kind === "missing" ? { wanted } : { wanted, ...presentOf(found) };
  const among = readyPods.length > 0 ? ` and the foreign pods ${listOf(readyPods)}` : "";
  const message = `Updating the disruption budget: at least ${wanted.spec?.minAvailable} of ${voters.length} voters${among} must stay available`;
  return { kind: "write-objects", services: [], disruptionBudget, reason: "WritingDisruptionBudget", message };
};

function toWrite(found: ObjectSeen<Service>, wanted: Service): ToWrite<Service>[] {
  switch (found.kind) {
    case "foreign":
      return [];
    case "missing":
      return [{ wanted }];
    case "orphaned":
      return [{ wanted, ...presentOf(found) }];
    case "ours":
      return mergePatch(wanted, found.object) ? [{ wanted, ...presentOf(found) }] : [];
  }
}

type Present<T extends object> = Extract<ObjectSeen<T>, { kind: "ours" | "orphaned" }>;

function presentOf<T extends object>({ kind, object }: Present<T>): Pick<ToWrite<T>, "present" | "takesOver"> {
  return { present: object, ...(kind === "orphaned" && { takesOver: true as const }) };
}
