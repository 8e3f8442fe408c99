const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The number that a Kubernetes quantity such as `10Gi`, `1.5T` or `1e9` represents; undefined when it is not one. */
export function parseQuantity(quantity: string | number): number | undefined {
  if (typeof quantity === "number") return quantity;
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/.exec(quantity);
  if (!match) return undefined;
  const factor = FACTORS[match[3] ?? ""];
  return factor === undefined ? undefined : rounded(Number(`${match[1]}${match[2] ?? ""}`) * factor);
}

/** One text for all that mean the same: `1000m` and `1`, `1024Mi` and `1Gi`. What is no quantity stays as it is. */
export function canonicalQuantity(quantity: string | number): string {
  const value = parseQuantity(quantity);
  if (value === undefined || !Number.isFinite(value)) return String(quantity);
  const isBinary = value !== 0 && value % 1024 === 0;
  const unit = (isBinary ? BINARY : DECIMAL).find((suffix) => isMultiple(value, suffix));
  return unit === undefined ? String(value) : `${inUnits(value, unit)}${unit}`;
}

const BINARY = ["Ei", "Pi", "Ti", "Gi", "Mi", "Ki"];
const DECIMAL = ["E", "P", "T", "G", "M", "k", "", "m", "u", "n"];

function isMultiple(value: number, unit: string): boolean {
  return value === 0 ? unit === "" : Number.isSafeInteger(inUnits(value, unit));
}

function inUnits(value: number, unit: string): number {
  return rounded(value / (FACTORS[unit] ?? 1));
}

/** 1.1T and 1100G are one quantity, though as products they differ in their last bit. */
function rounded(value: number): number {
  return Number(value.toPrecision(15));
}
