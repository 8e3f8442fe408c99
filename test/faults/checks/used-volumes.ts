import { GUARD_VARIABLES } from "@etcd-operator/operator/cluster/guard/variables.ts";
import { ANNOTATIONS } from "@etcd-operator/operator/cluster/objects/annotations.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { type ObjectEvent, objectOf } from "../world/stored-objects.ts";

/** New members that were given the volume of another, with what that one had on it (zookeeper-operator#517). */
export function usedVolumes(events: readonly ObjectEvent[]): readonly string[] {
  const holders = new Map<string, string | undefined>();
  return events.flatMap((event) => {
    const { plural, kind, name } = event;
    if (plural === "persistentvolumeclaims") {
      const holder = objectOf(event).metadata.annotations?.[ANNOTATIONS.memberId];
      holders.set(name, kind === "deleted" ? undefined : holder);
    }
    const holder = holders.get(name);
    if (plural !== "pods" || kind !== "created" || holder === undefined) return [];
    return isNew(objectOf(event) as Pod) ? [`${name} is new, and was given the volume of member ${holder}`] : [];
  });
}

function isNew({ spec }: Pod): boolean {
  const variables = spec?.initContainers?.flatMap(({ env = [] }) => env) ?? [];
  return variables.some(
    ({ name, value }) => name === GUARD_VARIABLES.start && (value === "joining" || value === "seed"),
  );
}
