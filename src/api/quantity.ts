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

/** The number that a Kubernetes quantity such as `10Gi`, `1.5T` or `1e9` stands for; undefined when it is not one. */
export function parseQuantity(quantity: string | number): number | undefined {
  if (typeof quantity === "number") return quantity;
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/.exec(quantity);
  if (!match) return undefined;
  const factor = FACTORS[match[3] ?? ""];
  return factor === undefined ? undefined : Number(`${match[1]}${match[2] ?? ""}`) * factor;
}
