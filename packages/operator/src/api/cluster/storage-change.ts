import type { ChangeRule } from "../schema/rule.ts";

const FIELDS = ["spec", "pod", "persistentVolumeClaimSpec", "resources", "requests", "storage"] as const;

/** The field that says how large volumes are. */
const STORAGE_FIELD = FIELDS.join(".");

// Expressions may call CEL's quantity() from Kubernetes 1.29 on only, and we support 1.28: a size is parsed by hand.
// The API server estimates cost from the longest size and from the length of each pattern, so these are short: from the
// first digit to the last is the number, with its exponent, and the rest is the unit.
const FACTORS =
  "{'': 1.0, 'm': 1e-3, 'k': 1e3, 'M': 1e6, 'G': 1e9, 'T': 1e12, 'P': 1e15, 'E': 1e18, 'Ki': 1024.0, 'Mi': 1048576.0, " +
  "'Gi': 1073741824.0, 'Ti': 1099511627776.0, 'Pi': 1125899906842624.0, 'Ei': 1152921504606846976.0}";
const celNumber = (root: string) => `'0' + string(${root}.${STORAGE_FIELD}).find('[0-9.](.*[0-9.])?')`;
const celUnit = (root: string) => `string(${root}.${STORAGE_FIELD}).find('[^0-9.]*$')`;
// 1.1T and 1100G are one size, though as numbers they differ in their last bit.
const ROUNDING_BYTES = 0.5;

/** Kubernetes can grow a volume, never shrink it; a claim with a smaller request would be refused for ever. A new
 * cluster has no volumes, so this rule does not apply to the template of a restore.
 */
export const storageDoesNotShrink: ChangeRule = {
  cel: `!(${celHasSize("self")}) || !(${celHasSize("oldSelf")}) ||
    ${celBytes("self")} + ${ROUNDING_BYTES} >= ${celBytes("oldSelf")}`,
  message:
    "storage cannot shrink to '{}': Kubernetes cannot shrink a volume; request at least the current size, or restore a backup into a new cluster",
  offender: { cel: `string(self.${STORAGE_FIELD})` },
  fieldPath: `.${STORAGE_FIELD}`,
};

/** Whether the size is valid; an invalid one has a rule of its own. */
function celHasSize(root: string): string {
  const paths = FIELDS.slice(1).map((_, at) => `has(${[root, ...FIELDS.slice(0, at + 2)].join(".")})`);
  return [...paths, `${celUnit(root)} in ${FACTORS}`].join(" && ");
}

function celBytes(root: string): string {
  return `double(${celNumber(root)}) * ${FACTORS}[${celUnit(root)}]`;
}
