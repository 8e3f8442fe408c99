type Form = "decimal" | "binary" | "exponent";

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

const BINARY = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

const PLACES = 9;
const NANO = 10n ** BigInt(PLACES);

/** A Kubernetes quantity, such as `1.5Gi`, `100m` or `1e3`, exact to the billionth. */
export class Quantity {
  readonly nano: bigint;
  readonly #form: Form;

  private constructor(nano: bigint, form: Form = "decimal") {
    this.nano = nano;
    this.#form = form;
  }

  /** Undefined for texts that are no quantity. */
  static parse(text: string): Quantity | undefined {
    const [, sign, whole = "", fraction = "", exponent, binary, decimal = ""] =
      /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+)|([KMGTPE]i)|([numkMGTPE]))?$/.exec(text) ?? [];
    if (whole === "" && fraction === "") return undefined;
    const tens = exponent === undefined ? (DECIMAL.find(([unit]) => unit === decimal)?.[1] ?? 0) : Number(exponent);
    const factor = binary === undefined ? 1n : 1024n ** BigInt(BINARY.indexOf(binary));
    const nano = scaled(BigInt(whole + fraction) * factor, tens - fraction.length + PLACES);
    const form = binary === undefined ? (exponent === undefined ? "decimal" : "exponent") : "binary";
    return new Quantity(sign === "-" ? -nano : nano, form);
  }

  static ofInt(value: bigint): Quantity {
    return new Quantity(value * NANO);
  }

  plus(other: Quantity): Quantity {
    return new Quantity(this.nano + other.nano);
  }

  minus(other: Quantity): Quantity {
    return new Quantity(this.nano - other.nano);
  }

  compareTo(other: Quantity): bigint {
    return this.nano === other.nano ? 0n : this.nano < other.nano ? -1n : 1n;
  }

  get sign(): bigint {
    return this.nano === 0n ? 0n : this.nano < 0n ? -1n : 1n;
  }

  /** Undefined where it is no whole number of 64 bits. */
  get integer(): bigint | undefined {
    const value = this.nano / NANO;
    return this.nano % NANO === 0n && BigInt.asIntN(64, value) === value ? value : undefined;
  }

  get approximation(): number {
    return Number(this.nano / NANO) + Number(this.nano % NANO) / Number(NANO);
  }

  /** As kube-apiserver writes it, with the largest unit that leaves no fraction: "0.5" is "500m". */
  toString(): string {
    const inBinary = this.#form === "binary" ? wholeUnits(this.nano) : undefined;
    if (inBinary !== undefined) return inBinary;
    const [unit, tens] = largestUnit(this.nano);
    const count = this.nano / 10n ** BigInt(tens + PLACES);
    return `${count}${this.#form === "exponent" ? (tens === 0 ? "" : `e${tens}`) : unit}`;
  }
}

/** The number that a quantity stands for; what is absent or no quantity is 0. */
export function quantityValue(quantity: string | undefined): number {
  return Quantity.parse(quantity ?? "")?.approximation ?? 0;
}

// What is finer than a billionth is rounded up, away from zero, so that nothing becomes free.
function scaled(value: bigint, tens: number): bigint {
  if (tens >= 0) return value * 10n ** BigInt(tens);
  const divisor = 10n ** BigInt(-tens);
  return (value + divisor - 1n) / divisor;
}

function largestUnit(nano: bigint): readonly [string, number] {
  if (nano === 0n) return ["", 0];
  return DECIMAL.find(([, tens]) => nano % 10n ** BigInt(tens + PLACES) === 0n) ?? ["n", -PLACES];
}

function wholeUnits(nano: bigint): string | undefined {
  if (nano % NANO !== 0n) return undefined;
  let [value, unit] = [nano / NANO, 0];
  while (value !== 0n && value % 1024n === 0n && unit + 1 < BINARY.length) [value, unit] = [value / 1024n, unit + 1];
  return `${value}${BINARY[unit]}`;
}
