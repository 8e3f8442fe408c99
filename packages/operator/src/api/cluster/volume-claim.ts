import type { PersistentVolumeClaimSpec } from "kubernetes-types/core/v1.d.ts";
import * as z from "zod";
import { intOrString, passThrough } from "../schema/primitives.ts";
import { type Rule, withRules } from "../schema/rule.ts";

const SIZE = String.raw`^[0-9]+(\.[0-9]*)?([eE][0-9]+|[mkMGTPE]|[KMGTPE]i)?$`;

const isQuantity: Rule<string | number> = {
  holds: (value) => new RegExp(SIZE).test(String(value)),
  cel: `string(self).matches(r'${SIZE}')`,
  message: "storage '{}' is not a size: write a number with a unit, such as '10Gi'",
  offender: { of: String, cel: "string(self)" },
};

const requests = z.looseObject({
  storage: withRules(intOrString(), [isQuantity]).optional().describe("Size of the volume, such as `10Gi`."),
});

const namesAMode: Rule<string[]> = {
  holds: (modes) => modes.length > 0,
  cel: "size(self) > 0",
  message:
    "accessModes is [], and Kubernetes requires a mode: add one, such as 'ReadWriteOnce', or remove the field, which defaults to it",
};

const claimSpec = passThrough<PersistentVolumeClaimSpec>({
  accessModes: withRules(z.array(z.string().min(1)), [namesAMode])
    .optional()
    .describe("How the volume may be mounted; `ReadWriteOnce` by default."),
  storageClassName: z.string().optional(),
  resources: z.looseObject({ requests: requests.optional() }).optional(),
});

const asksForStorage: Rule<PersistentVolumeClaimSpec> = {
  holds: (claim) => claim.resources?.requests?.storage !== undefined,
  cel: "has(self.resources) && has(self.resources.requests) && has(self.resources.requests.storage)",
  message: "resources.requests.storage is missing: set the size of the volume, such as '10Gi'",
};

export const volumeClaimSpec = withRules(claimSpec, [asksForStorage]);
