import { judge } from "@etcd-operator/operator/api/schema/judge.ts";
import { withValue } from "../at-path.ts";
import type { FieldValue } from "../field-value.ts";
import { propertiesOf } from "../property.ts";
import { CLUSTER_SPEC, clusterEntries } from "./cluster-entries.ts";
import { type Entries, entryOf, specWith, valuesOf } from "./entry.ts";
import { RESTORE_SPEC } from "./restore-entries.ts";

const INSIDE = "clusterTemplate.spec.";

/**
 * A restore that has a cluster to make: one with all that a cluster has to begin with, as its values are set beside
 * that.
 */
export const TEMPLATE_SPEC = {
  ...RESTORE_SPEC,
  etcdCluster: { name: "b" },
  clusterTemplate: { spec: CLUSTER_SPEC },
};

/**
 * Every property of the cluster that a restore may have to make. What a cluster that runs would not let be changed, one
 * that is yet to be made may have; our own code says which values those are, and the API server has to agree.
 */
export const templateEntries: Entries = Object.fromEntries(
  propertiesOf("EtcdCluster").map((property) => {
    const { given, along, mapKey, ...entry } = entryOf(clusterEntries, property);
    const path = `${INSIDE}${property.path}`;
    const around = inside({ ...given, ...along });
    const judged = ({ value, name, fate }: FieldValue): FieldValue => {
      const spec = withValue(specWith(TEMPLATE_SPEC, around), path, value, mapKey);
      const isValid = judge("EtcdRestore", { metadata: { name: "b" }, spec }).kind === "valid";
      // What only code finds out is reported like all its other problems.
      return { name, value, fate: fate === "refused" && !isValid ? "refused" : "works" };
    };
    const also = valuesOf(property, entry).map(judged);
    const derived = Object.fromEntries(also.map(({ name }) => [name, "left-out" as const]));
    return [path, { along: around, but: derived, also, ...(mapKey !== undefined && { mapKey }) }];
  }),
);

function inside(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).map(([path, value]) => [`${INSIDE}${path}`, value]));
}
