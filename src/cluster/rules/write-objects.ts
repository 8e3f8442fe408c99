import type { Service, ServicePort } from "kubernetes-types/core/v1.d.ts";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.d.ts";
import { peerServiceName } from "../../api/cluster-names.ts";
import type { ToWrite } from "../action.ts";
import { podDisruptionBudget } from "../objects/pod-disruption-budget.ts";
import { clientService, peerService } from "../objects/service.ts";
import type { ObjectSeen } from "../observation.ts";
import { listOf, type Rule } from "../situation.ts";

/** Members find each other, and clients find them, through the Services: they come first, and are put right when somebody changed them. */
export const writeServices: Rule = ({ seen, status }) => {
  const { objects, cluster } = seen;
  if (objects.peerService.kind === "foreign" && !status.clusterID) {
    const name = peerServiceName(cluster.metadata.name);
    const remedy = "rename or delete it, or give the cluster another name";
    return { kind: "hold", reason: "NameTaken", message: `Service '${name}' is not this cluster's: ${remedy}` };
  }
  const services = [
    ...toWrite(objects.peerService, peerService(cluster)),
    ...toWrite(objects.clientService, clientService(cluster)),
  ];
  if (services.length === 0) return undefined;
  const names = listOf(services.map(({ wanted }) => wanted.metadata?.name ?? ""));
  return { kind: "write-objects", services, reason: "WritingServices", message: `Service ${names} as the spec says` };
};

/**
 * The budget follows the number of voters, so it is brought up to date before the next of them comes or goes. It is put right, too, when
 * its selector or its limit was edited: a budget that selects other pods protects none of ours.
 */
export const writeDisruptionBudget: Rule = ({ seen, voters }) => {
  const { disruptionBudget: found } = seen.objects;
  if (found.kind === "foreign") return undefined;
  const { readyPods = [] } = seen.strangers;
  const wanted = podDisruptionBudget(seen.cluster, voters.length, readyPods.length);
  if (found.kind === "ours" && isBudgetAsWanted(found.object, wanted)) return undefined;
  const disruptionBudget = found.kind === "ours" ? { wanted, present: found.object } : { wanted };
  const among = readyPods.length > 0 ? ` and the foreign pods ${listOf(readyPods)}` : "";
  const message = `Disruption budget: at least ${wanted.spec?.minAvailable} of ${voters.length} voters${among} stay`;
  return { kind: "write-objects", services: [], disruptionBudget, reason: "WritingDisruptionBudget", message };
};

function toWrite(found: ObjectSeen<Service>, wanted: Service): ToWrite<Service>[] {
  switch (found.kind) {
    case "foreign":
      return [];
    case "missing":
      return [{ wanted }];
    case "ours":
      return isAsWanted(found.object, wanted) ? [] : [{ wanted, present: found.object }];
  }
}

/** Whether all that we say of a budget is so; a policy for unhealthy pods is the user's. */
function isBudgetAsWanted({ metadata, spec }: PodDisruptionBudget, wanted: PodDisruptionBudget): boolean {
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {};
  return (
    hasAll(metadata?.labels, wanted.metadata?.labels) &&
    isSameMap(matchLabels, wanted.spec?.selector?.matchLabels) &&
    matchExpressions.length === 0 &&
    spec?.minAvailable === wanted.spec?.minAvailable &&
    spec?.maxUnavailable === undefined
  );
}

/** Whether all that we say of a Service is so; what the API server or the user has added is theirs. */
function isAsWanted({ metadata, spec }: Service, wanted: Service): boolean {
  return (
    hasAll(metadata?.labels, wanted.metadata?.labels) &&
    isSameMap(spec?.selector, wanted.spec?.selector) &&
    Boolean(spec?.publishNotReadyAddresses) === Boolean(wanted.spec?.publishNotReadyAddresses) &&
    (wanted.spec?.ports ?? []).every((port) => spec?.ports?.some((found) => isSamePort(found, port)))
  );
}

type Texts = Readonly<Record<string, string>>;

function hasAll(found: Texts = {}, asked: Texts = {}): boolean {
  return Object.entries(asked).every(([key, value]) => found[key] === value);
}

function isSameMap(found: Texts = {}, asked: Texts = {}): boolean {
  return hasAll(found, asked) && Object.keys(found).length === Object.keys(asked).length;
}

function isSamePort(found: ServicePort, wanted: ServicePort): boolean {
  return (
    found.name === wanted.name && found.port === wanted.port && (found.targetPort ?? found.port) === wanted.targetPort
  );
}
