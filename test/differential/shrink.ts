import { unexplained } from "./accepted.ts";
import type { Finding } from "./report.ts";
import { type Servers, tell } from "./run-stories.ts";

let attempts = 0;

/** The same difference after as few requests as possible; each try is told in a namespace of its own. */
export async function shrunk(servers: Servers, finding: Finding): Promise<Finding> {
  const { story } = finding.told;
  let best = finding;
  for (let drop = finding.at - 1; drop >= 0; drop -= 1) {
    const requests = best.told.story.requests.slice(0, best.at + 1).filter((_, index) => index !== drop);
    attempts += 1;
    const told = await tell(servers, { ...story, requests }, `shrink-${attempts}`);
    const at = requests.length - 1;
    const last = told.compared[at];
    const differences = last ? unexplained(last, new Set()) : [];
    if (placesOf(differences) === placesOf(finding.differences)) best = { told, at, differences };
  }
  return best;
}

function placesOf(differences: Finding["differences"]): string {
  return differences.map(({ at }) => at).join();
}
