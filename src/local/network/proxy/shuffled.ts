/** The same things in a random order. */
export function shuffled<Thing>(things: readonly Thing[], random: () => number): Thing[] {
  const result = [...things];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other] as Thing, result[last] as Thing];
  }
  return result;
}
