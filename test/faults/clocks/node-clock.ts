import type { View } from "../world/world.ts";

const TOLD = /("lastTransitionTime":")([^"]+)(")/g;

/** Pods as a kubelet whose clock is wrong reports them: their conditions change at times of its own. */
export function nodeClock(aheadMs: number, onTold: () => void): View {
  const shifted = (text: string) =>
    text.replace(TOLD, (_, before: string, time: string, after: string) => {
      onTold();
      return `${before}${new Date(Date.parse(time) + aheadMs).toISOString().replace(/\.\d+Z$/, "Z")}${after}`;
    });
  return (ask) => async (asked) => {
    const answer = await ask(asked);
    const isOfPods = asked.method === "GET" && /\/pods(?:[/?]|$)/.test(asked.path);
    return isOfPods ? { ...answer, body: mapped(answer.body, shifted) } : answer;
  };
}

/** The server of this process writes an object in one piece. */
async function* mapped(body: AsyncIterable<Uint8Array>, change: (text: string) => string) {
  for await (const chunk of body) yield Buffer.from(change(Buffer.from(chunk).toString("utf8")));
}
