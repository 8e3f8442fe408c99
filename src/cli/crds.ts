import { stringify } from "yaml";
import { customResourceDefinition } from "../api/crd/custom-resource-definition.ts";
import { type Kind, kinds } from "../api/kinds.ts";

/** Prints the CRDs that this build of the operator goes with. */
export function printCrds(): void {
  for (const kind of Object.values<Kind>(kinds)) {
    const text = stringify(customResourceDefinition(kind), { lineWidth: 0, aliasDuplicateObjects: false });
    process.stdout.write(`---\n${text}`);
  }
}
