import type { PersistentVolumeClaimSpec } from "kubernetes-types/core/v1.d.ts";
import { z } from "zod";
import { intOrString, passThrough } from "./primitives.ts";
import { parseQuantity } from "./quantity.ts";
import { type ChangeRule, withRules } from "./rule.ts";

// CEL's quantity() exists from Kubernetes 1.29 only; whole numbers with a suffix are what people write for storage.
const FACTORS =
  "{'': 1.0, 'k': 1e3, 'M': 1e6, 'G': 1e9, 'T': 1e12, 'P': 1e15, 'E': 1e18, 'Ki': 1024.0, 'Mi': 1048576.0, " +
  "'Gi': 1073741824.0, 'Ti': 1099511627776.0, 'Pi': 1125899906842624.0, 'Ei': 1152921504606846976.0}";
const SIMPLE = "^[0-9]+[KkMGTPE]?i?$";
const bytes = (quantity: string) =>
  `double(string(${quantity}).find('^[0-9]+')) * ${FACTORS}[string(${quantity}).find('[a-zA-Z]*$')]`;

/** Kubernetes can grow a volume, never shrink it; a claim that asks for less would be refused for ever. */
export const storageDoesNotShrink: ChangeRule<string | number> = {
  holds: (next, previous) => (parseQuantity(next) ?? 0) >= (parseQuantity(previous) ?? 0),
  cel: `!string(self).matches('${SIMPLE}') || !string(oldSelf).matches('${SIMPLE}') || ${bytes("self")} >= ${bytes("oldSelf")}`,
  message:
    "storage cannot shrink to '{}': Kubernetes never makes a volume smaller; ask for at least what is there, or restore a backup into a new cluster",
  offender: { of: String, cel: "string(self)" },
};

const requests = z.looseObject({
  storage: withRules(intOrString(), [], [storageDoesNotShrink])
    .optional()
    .describe("Size of the volume, such as `10Gi`."),
});

export const volumeClaimSpec = passThrough<PersistentVolumeClaimSpec>({
  accessModes: z.array(z.string()).optional(),
  storageClassName: z.string().optional(),
  resources: z.looseObject({ requests: requests.optional() }).optional(),
});
