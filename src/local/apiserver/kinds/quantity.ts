const QUANTITY = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+)|([KMGTPE]i)|([numkMGTPE]))?$/;

const DECIMAL: readonly (readonly [string, number])[] = [
  ["E", 18],
  ["P", 15],
  ["T", 12],
  ["G", 9],
  ["M", 6],
  ["k", 3],
  ["", 0],
  ["m", -3],
  ["u", -6],
  ["n", -9],
];

const BINARY = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

const NANO = 9;

/** A quantity as kube-apiserver writes it, with the largest unit that leaves no fraction: "0.5" is "500m". */
export function canonicalQuantity(text: string): string {
  const match = QUANTITY.exec(text);
  if (!match) return text;
  const [, sign, whole = "", fraction = "", exponent, binary, decimal = ""] = match;
  const digits = BigInt(`${whole}${fraction}` || "0");
  const scale = exponent !== undefined ? Number(exponent) : (DECIMAL.find(([unit]) => unit === decimal)?.[1] ?? 0);
  const factor = binary ? 1024n ** BigInt(BINARY.indexOf(binary) + 1) : 1n;
  const nanos = scaled(digits * factor, scale - fraction.length + NANO);
  const minus = sign === "-" && nanos !== 0n ? "-" : "";
  if (binary) return `${minus}${inBinary(nanos) ?? inDecimal(nanos)}`;
  return `${minus}${exponent === undefined ? inDecimal(nanos) : inExponents(nanos)}`;
}

// What is finer than a nano is rounded up, so that nothing becomes free.
function scaled(value: bigint, tens: number): bigint {
  if (tens >= 0) return value * 10n ** BigInt(tens);
  const divisor = 10n ** BigInt(-tens);
  return (value + divisor - 1n) / divisor;
}

function inDecimal(nanos: bigint): string {
  const [unit, tens] = largest(nanos);
  return `${nanos / 10n ** BigInt(tens + NANO)}${unit}`;
}

function inExponents(nanos: bigint): string {
  const [, tens] = largest(nanos);
  return `${nanos / 10n ** BigInt(tens + NANO)}${tens === 0 ? "" : `e${tens}`}`;
}

function largest(nanos: bigint): readonly [string, number] {
  if (nanos === 0n) return ["", 0];
  return DECIMAL.find(([, tens]) => nanos % 10n ** BigInt(tens + NANO) === 0n) ?? ["n", -NANO];
}

function inBinary(nanos: bigint): string | undefined {
  const one = 10n ** BigInt(NANO);
  if (nanos % one !== 0n) return undefined;
  let [value, unit] = [nanos / one, 0];
  while (value !== 0n && value % 1024n === 0n && unit < BINARY.length) [value, unit] = [value / 1024n, unit + 1];
  return `${value}${unit === 0 ? "" : BINARY[unit - 1]}`;
}
