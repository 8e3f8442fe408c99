import { parseArgs } from "node:util";
import { plan, plannedStory } from "./plan.ts";
import { findingsOf, groupsOf, inLines } from "./report.ts";
import { runStories } from "./run-stories.ts";
import { startServers } from "./servers.ts";
import { shrunk } from "./shrink.ts";

// One story is shown in full.
const WHOLE = 100_000;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "1000" },
    story: { type: "string", default: "" },
    most: { type: "string", default: "20" },
  },
});
process.exitCode = await main(Number(values.seed), Number(values.count), values.story);

/** Sends the requests of a seed to both servers, and prints each sort of difference once. */
async function main(seed: number, count: number, only: string): Promise<number> {
  const servers = await startServers();
  try {
    const run = `s${seed}`;
    const stories = only === "" ? plan(seed, count, run) : [plannedStory(seed, Number(only), run)];
    const told = await runStories(servers, stories, run);
    const { requests, found, unused } = findingsOf(told);
    const groups = groupsOf(found);
    for (const { signature, findings } of groups.slice(0, Number(values.most))) {
      console.log(`\n${findings.length} × ${signature}`);
      const [first] = findings;
      if (first) console.log(inLines(await shrunk(servers, first), seed, only === "" ? undefined : WHOLE).join("\n"));
    }
    if (unused.length > 0) console.log(`accepted, and not seen: ${unused.join(", ")}`);
    console.log(
      `SEED=${seed}: ${requests} requests, ${found.length} with an unexplained difference of ${groups.length} sorts`,
    );
    return found.length === 0 ? 0 : 1;
  } finally {
    await servers.stop();
  }
}
