import { stringify } from "yaml";
import { customResourceDefinition } from "../api/crd/custom-resource-definition.ts";
import { type Kind, kinds } from "../api/kinds.ts";

// kubectl reads YAML 1.1, where a bare Off is false.
const AS_KUBECTL_READS = { compat: "yaml-1.1", lineWidth: 0, aliasDuplicateObjects: false } as const;

/** The CRD of a kind as a document. */
export function crdAsYaml(kind: Kind): string {
  return stringify(customResourceDefinition(kind), AS_KUBECTL_READS);
}

/** Prints the CRDs that belong to this build of the operator. */
export function printCrds(): void {
  for (const kind of Object.values<Kind>(kinds)) process.stdout.write(`---\n${crdAsYaml(kind)}`);
}
