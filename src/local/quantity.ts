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

/** The number that a quantity such as "1.5Gi", "100m" or "1e3" stands for; what is absent or no quantity is 0. */
export function quantityValue(quantity: string | undefined): number {
  const match = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([numkMGTPE]|[KMGTPE]i)?$/.exec(quantity ?? "");
  const value = Number(match?.[1]) * (FACTORS[match?.[2] ?? ""] ?? Number.NaN);
  return Number.isFinite(value) ? value : 0;
}
