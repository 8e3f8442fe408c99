const factors: Readonly<Record<string, number>> = {
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

/** The number that a quantity such as "250m" or "64Mi" stands for; not a number if it is none. */
export function quantityValue(written: string): number {
  const [, digits = "", suffix = ""] = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([a-zA-Z]*)$/.exec(written) ?? [];
  return digits === "" ? Number.NaN : Number(digits) * (factors[suffix] ?? Number.NaN);
}
