import { workloads } from "../workloads/workloads.ts";
import type { ObjectsName } from "./objects.ts";
import type { Play } from "./play.ts";
import { type Change, DOWN, POD_LOST, RECREATED, UP } from "./travels/change.ts";
import { travel } from "./travels/every-travel.ts";
import type { Departure } from "./travels/pair-workload.ts";
import { travel as backBy, behindByTime, held, type ViewKind } from "./view-kinds.ts";
import { playOf } from "./viewed-workloads.ts";

/** What broke other operators because they believed an old view; whatever the seed, these are played. */
export const NAMED_BUGS: readonly Play[] = [
  // Saw the deletion of a cluster of the same name that had been made again, and deleted the volumes of the new one.
  named("zookeeper-operator-312", traveller(POD_LOST, RECREATED, "before", "everything")),
  named("zookeeper-operator-312", traveller(RECREATED, RECREATED, "between", "clusters")),
  // Deleted the volume of a member that had come back since.
  named("cass-operator-412", traveller(DOWN, UP, "between", "everything")),
  named("cass-operator-412", traveller(POD_LOST, POD_LOST, "between", "children")),
  // Deleted by its name a pod that had come in the place of the one it had seen.
  named("cass-operator-412", seen("tls-rotation", backBy({ by: "crash", backBy: 40, forMs: 30_000 }), "pods")),
  // Took a member away for a size that was not asked for any more.
  named("zookeeper-operator-314", traveller(DOWN, UP, "between", "clusters")),
  named("zookeeper-operator-314", traveller(UP, DOWN, "before", "pods")),
  // Made children again for a parent that was gone.
  named("percona-xtradb-986", seen("delete", behindByTime(20_000), "clusters")),
  named("percona-xtradb-986", seen("delete-and-recreate", behindByTime(20_000), "clusters")),
  // Took the next member down before it could see that the last one was not back.
  named("opensearch-1471", seen("upgrade", behindByTime(20_000), "pods")),
  named("opensearch-1471", seen("upgrade", held(15_000), "pods")),
  // Gave a new member the volume of one that had left.
  named("zookeeper-operator-517", traveller(DOWN, UP, "before", "children")),
];

function named(bug: string, play: Play): Play {
  return { ...play, name: `${bug}/${play.name.replace("/", "-")}`, row: "named bugs" };
}

function traveller(first: Change, second: Change, to: Departure["to"], objects: ObjectsName): Play {
  return travel(
    { first, second, onClaims: true },
    { when: "afterwards", to },
    { to, by: "crash", forMs: 60_000 },
    objects,
  );
}

function seen(workloadName: string, kind: ViewKind, objects: ObjectsName): Play {
  const workload = workloads.find(({ name }) => name === workloadName);
  if (!workload) throw new Error(`there is no workload ${workloadName}`);
  return playOf(workload, { kind, objects });
}
