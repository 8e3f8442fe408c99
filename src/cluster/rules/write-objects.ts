import type { Service, ServicePort } from "kubernetes-types/core/v1.d.ts";
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

/** The budget follows the number of voters, so it is brought up to date before the next of them comes or goes. */
export const writeDisruptionBudget: Rule = ({ seen, voters }) => {
  const { disruptionBudget: found } = seen.objects;
  if (found.kind === "foreign") return undefined;
  const wanted = podDisruptionBudget(seen.cluster, voters.length);
  if (found.kind === "ours" && found.object.spec?.minAvailable === wanted.spec?.minAvailable) return undefined;
  const disruptionBudget = found.kind === "ours" ? { wanted, present: found.object } : { wanted };
  const message = `Disruption budget: at least ${wanted.spec?.minAvailable} of ${voters.length} voters stay`;
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

/** Whether all that we say of a Service is so; what the API server or the user has added is theirs. */
function isAsWanted({ metadata, spec }: Service, wanted: Service): boolean {
  const hasAll = (found: Record<string, string> = {}, asked: Record<string, string> = {}) =>
    Object.entries(asked).every(([key, value]) => found[key] === value);
  return (
    hasAll(metadata?.labels, wanted.metadata?.labels) &&
    hasAll(spec?.selector, wanted.spec?.selector) &&
    Object.keys(spec?.selector ?? {}).length === Object.keys(wanted.spec?.selector ?? {}).length &&
    Boolean(spec?.publishNotReadyAddresses) === Boolean(wanted.spec?.publishNotReadyAddresses) &&
    (wanted.spec?.ports ?? []).every((port) => spec?.ports?.some((found) => isSamePort(found, port)))
  );
}

function isSamePort(found: ServicePort, wanted: ServicePort): boolean {
  return (
    found.name === wanted.name && found.port === wanted.port && (found.targetPort ?? found.port) === wanted.targetPort
  );
}
