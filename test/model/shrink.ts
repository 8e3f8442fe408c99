import { retell, type Story } from "./walk.ts";

/** Leaves out whatever a story can do without and still end the same way. */
export async function shrink(story: Story, why: string): Promise<Story> {
  const kind = kindOf(why);
  const endsAlike = async (shorter: Story) => {
    const end = await retell(shorter);
    return end !== undefined && kindOf(end) === kind;
  };
  let best = story;
  for (let chunk = Math.ceil(story.events.length / 2); chunk >= 1; chunk = chunk === 1 ? 0 : Math.ceil(chunk / 2)) {
    for (let from = best.events.length - chunk; from > -chunk; ) {
      const start = Math.max(0, from);
      const events = best.events.filter((_, index) => index < start || index >= from + chunk);
      const shorter = { ...best, events };
      if (await endsAlike(shorter)) best = shorter;
      from -= chunk;
    }
  }
  return best;
}

/** The promise that was broken, without the names of those involved. */
function kindOf(why: string): string {
  return why.replace(/\bm\d+\b/g, "").slice(0, 28);
}
