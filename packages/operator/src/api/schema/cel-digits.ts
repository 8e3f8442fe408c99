/**
 * CEL that prints an integer from 0 to `most`. The API server assumes the length of `string(…)` of a number to be
 * unbounded and refuses a CRD with a message made of it; the length of a part of a constant is known.
 */
export function celDigits(expression: string, most: number): string {
  const places = String(most).length;
  const powers = Array.from({ length: places }, (_, at) => 10 ** (places - 1 - at));
  const digit = (power: number) => `'0123456789'.substring(${at(power)}, ${at(power)} + 1)`;
  const at = (power: number) => (power === 1 ? `${expression} % 10` : `${expression} / ${power} % 10`);
  const parts = powers.map((power) => (power === 1 ? digit(1) : `(${expression} < ${power} ? '' : ${digit(power)})`));
  return parts.join(" + ");
}
