import type { PersistentVolumeClaimSpec } from "kubernetes-types/core/v1.d.ts";
import * as z from "zod";
import { intOrString, passThrough } from "./primitives.ts";
import { parseQuantity } from "./quantity.ts";
import { type ChangeRule, type Rule, withRules } from "./rule.ts";

const SIZE = String.raw`^[0-9]+(\.[0-9]*)?([eE][0-9]+|[mkMGTPE]|[KMGTPE]i)?$`;

const isQuantity: Rule<string | number> = {
  holds: (value) => new RegExp(SIZE).test(String(value)),
  cel: `string(self).matches(r'${SIZE}')`,
  message: "storage '{}' is not a size: write a number with a unit, such as '10Gi'",
  offender: { of: String, cel: "string(self)" },
};

// New expressions may call CEL's quantity() from Kubernetes 1.29 on only, and we support 1.28. Whole numbers with a unit
// are what people write for storage; what is not one, such as 1.5Gi, is judged in code alone.
const FACTORS =
  "{'': 1.0, 'k': 1e3, 'M': 1e6, 'G': 1e9, 'T': 1e12, 'P': 1e15, 'E': 1e18, 'Ki': 1024.0, 'Mi': 1048576.0, " +
  "'Gi': 1073741824.0, 'Ti': 1099511627776.0, 'Pi': 1125899906842624.0, 'Ei': 1152921504606846976.0}";
const unit = (quantity: string) => `string(${quantity}).find('[^0-9].*$')`;
const bytes = (quantity: string) => `double('0' + string(${quantity}).find('^[0-9]+')) * ${FACTORS}[${unit(quantity)}]`;

/** Kubernetes can grow a volume, never shrink it; a claim that asks for less would be refused for ever. */
export const storageDoesNotShrink: ChangeRule<string | number> = {
  holds: (next, previous) => (parseQuantity(next) ?? 0) >= (parseQuantity(previous) ?? 0),
  cel: `!(${unit("self")} in ${FACTORS}) || !(${unit("oldSelf")} in ${FACTORS}) || ${bytes("self")} >= ${bytes("oldSelf")}`,
  message:
    "storage cannot shrink to '{}': Kubernetes never makes a volume smaller; ask for at least what is there, or restore a backup into a new cluster",
  offender: { of: String, cel: "string(self)" },
};

const requests = z.looseObject({
  storage: withRules(intOrString(), [isQuantity], [storageDoesNotShrink])
    .optional()
    .describe("Size of the volume, such as `10Gi`."),
});

const claimSpec = passThrough<PersistentVolumeClaimSpec>({
  accessModes: z.array(z.string()).optional(),
  storageClassName: z.string().optional(),
  resources: z.looseObject({ requests: requests.optional() }).optional(),
});

const asksForStorage: Rule<PersistentVolumeClaimSpec> = {
  holds: (claim) => claim.resources?.requests?.storage !== undefined,
  cel: "has(self.resources) && has(self.resources.requests) && has(self.resources.requests.storage)",
  message:
    "resources.requests.storage is missing, and no claim is made without it: say how large the volume should be, such as '10Gi'",
};

export const volumeClaimSpec = withRules(claimSpec, [asksForStorage]);
