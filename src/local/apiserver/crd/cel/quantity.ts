/** A Kubernetes quantity, such as `1.5Gi` or `100m`, exact to the billionth. */
export class Quantity {
  private constructor(readonly nano: bigint) {}

  /** Undefined for texts that are no quantity. */
  static parse(text: string): Quantity | undefined {
    const [, sign, whole = "", fraction = "", suffix = ""] =
      /^([+-]?)(\d*)(?:\.(\d*))?(|[numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)$/.exec(text) ?? [];
    if (whole === "" && fraction === "") return undefined;
    const [factor, divisor] = scaleOf(suffix);
    const digits = BigInt(whole + fraction) * factor * NANO;
    const unit = divisor * 10n ** BigInt(fraction.length);
    // What is finer than a billionth is rounded up, away from zero.
    const nano = digits / unit + (digits % unit === 0n ? 0n : 1n);
    return new Quantity(sign === "-" ? -nano : nano);
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
    return Number(this.nano) / Number(NANO);
  }
}

const NANO = 1_000_000_000n;

function scaleOf(suffix: string): readonly [bigint, bigint] {
  const decimal = "kMGTPE".indexOf(suffix);
  const small = "mun".indexOf(suffix);
  if (suffix === "") return [1n, 1n];
  if (suffix.endsWith("i")) return [1024n ** BigInt("KMGTPE".indexOf(suffix.charAt(0)) + 1), 1n];
  if (suffix.length === 1) return decimal >= 0 ? [1000n ** BigInt(decimal + 1), 1n] : [1n, 1000n ** BigInt(small + 1)];
  const exponent = Number(suffix.slice(1));
  return exponent < 0 ? [1n, 10n ** BigInt(-exponent)] : [10n ** BigInt(exponent), 1n];
}
