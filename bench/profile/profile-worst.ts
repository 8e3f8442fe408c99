import type { Cleanup } from "../cleanup.ts";
import type { Figure } from "../figure.ts";
import { START_NAMES } from "../start/operator-start.ts";
import { profileClusters } from "./profile-clusters.ts";
import { profileScale } from "./profile-scale.ts";
import { profileStart } from "./profile-start.ts";
import { FOLDER } from "./recorded-operator.ts";
import { distanceOf, fileNameOf, worstOf } from "./worst-figure.ts";

/** A figure, and the suite that it is of. */
export interface Found {
  readonly suite: string;
  readonly figure: Figure;
}

type Profile = (figure: string, cleanup: Cleanup) => Promise<void>;

/** Those that run the operator; of the others there is nothing of it to record. */
const profiles: Readonly<Record<string, Profile>> = {
  start: profileStart,
  cluster: profileClusters,
  scale: profileScale,
};

/** Records where the operator's time goes in what is farthest from its goal. */
export async function profileWorst(found: readonly Found[], cleanup: Cleanup): Promise<void> {
  const worst = worstOf(found.filter(isOfOperator));
  const profile = profiles[worst?.suite ?? ""];
  if (!worst || !profile) return;
  const { figure } = worst;
  const distance = distanceOf(figure).toFixed(2);
  process.stderr.write(
    `Recording the figure that is nearest to its goal, or farthest beyond: ${figure.name} (${distance} of it)\n`,
  );
  await profile(figure.name, cleanup);
  process.stdout.write(`profile of '${figure.name}': ${FOLDER}/${fileNameOf(figure)}.cpuprofile, in words .txt\n`);
}

/** What takes memory shows in no profile of the processor. */
function isOfOperator({ suite, figure: { name, unit } }: Found): boolean {
  if (unit === "MiB") return false;
  return suite === "start" ? Object.values(START_NAMES).includes(name) : suite in profiles;
}
