/** Clusters, backups and restores. */
const CONTROLLERS = 3;

/** When the last of the operator's controllers began to watch, by its log; undefined while one of them does not. */
export function watchingSince(log: string): number | undefined {
  const watching = new Map<string, number>();
  for (const line of log.split("\n").filter((each) => each.includes('"watching"'))) {
    const { msg, controller, time } = JSON.parse(line) as { msg: string; controller: string; time: string };
    if (msg === "watching") watching.set(controller, Date.parse(time));
  }
  return watching.size < CONTROLLERS ? undefined : Math.max(...watching.values());
}
