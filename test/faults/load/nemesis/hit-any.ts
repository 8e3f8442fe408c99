/** Some whom it was meant for may have gone in the meantime; but where no member was hit, nothing was done. */
export async function hitAny(hits: readonly Promise<unknown>[]): Promise<void> {
  const misses: unknown[] = [];
  for (const outcome of await Promise.allSettled(hits)) if (outcome.status === "rejected") misses.push(outcome.reason);
  if (misses.length === hits.length) throw new Error(`no member was hit: ${misses.join("; ") || "there was none"}`);
}
