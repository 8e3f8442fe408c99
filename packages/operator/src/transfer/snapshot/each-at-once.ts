/**
 * Does something with each item, so many at a time. After a failure nothing more is begun, and what was begun is waited
 * for.
 */
export async function eachAtOnce<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items].reverse();
  const workers = Array.from({ length: atOnce }, async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  });
  const failed = Promise.all(workers).catch((error: unknown) => {
    left.length = 0;
    throw error;
  });
  await Promise.allSettled([failed, ...workers]);
  await failed;
}
