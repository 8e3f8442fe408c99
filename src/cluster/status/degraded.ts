import { isOverdue } from "../fate.ts";
import type { MemberSeen } from "../members.ts";
import { clientServiceName, disruptionBudgetName, peerServiceName } from "../objects/names.ts";
import type { Observation } from "../observation.ts";
import { listOf } from "../situation.ts";
import { alarmRaised, type Finding } from "./alarms.ts";
import type { Verdict } from "./condition.ts";
import type { Standing } from "./standing.ts";
import { hasJoined, isExpected, namesAndWhy } from "./whereabouts.ts";

/** What an action found that no waiting will change. */
const NEEDS_A_LOOK = [
  "ClusterIdsDiffer",
  "VolumesWithoutIdentity",
  "MembersGone",
  "NameTaken",
  "AddressesChanged",
  "ActionFailed",
];

/** Whether anything needs a look. */
export function degraded(standing: Standing): Verdict {
  const findings = findingsOf(standing);
  const [worst] = findings;
  if (!worst) return { isTrue: false, reason: "AsExpected", message: "Nothing needs a look" };
  return { isTrue: true, reason: worst.reason, message: findings.map(({ message }) => message).join(". ") };
}

// The most serious first: wrong data, then no writes, then members at risk, then what only keeps us from going on.
function findingsOf(standing: Standing): Finding[] {
  const { now, action } = standing;
  const { seen } = now;
  const suffering = sufferingMembers(standing);
  return [
    ...alarmRaised("corrupt", standing),
    ...found("DataRefused", refusals(seen), "The guard refused the data of"),
    ...alarmRaised("no-space", standing),
    ...found("MembersNotHealthy", suffering.length > 0 ? [namesAndWhy(suffering)] : [], "Not healthy:"),
    ...found("InvalidSpec", problems(seen), "The spec is not valid, so nothing of it is followed:"),
    ...(NEEDS_A_LOOK.includes(action.reason) ? [{ reason: action.reason, message: action.message }] : []),
    ...found("PodsCannotRun", troubles(seen, suffering), "Pods that cannot run:"),
    ...found("ForeignObjects", foreignObjects(seen), "Somebody else's, under a name that this cluster needs:"),
    ...found("ForeignPods", seen.strangers.foreignPods, FOREIGN_PODS),
  ];
}

const FOREIGN_PODS = "Pods with this cluster's labels that are not its own, and may get its clients' connections:";

function found(reason: string, what: readonly string[], introduction: string): Finding[] {
  return what.length === 0 ? [] : [{ reason, message: `${introduction} ${listOf(what)}` }];
}

/** Those that are not well though they have joined, and those that should have joined by now. */
function sufferingMembers({ voters, now }: Standing): readonly MemberSeen[] {
  const joined = voters.filter(hasJoined);
  const late =
    now.seen.problems.length > 0 ? [] : now.members.filter((member) => isExpected(member) && isOverdue(member, now));
  const refused = (member: MemberSeen) => member.pod?.refusal !== undefined;
  return [...new Set([...joined, ...late])].filter((member) => member.health !== "healthy" && !refused(member));
}

function problems({ problems: lines }: Observation): string[] {
  return lines.length === 0 ? [] : [lines.join("; ")];
}

function refusals({ pods }: Observation): string[] {
  return pods.flatMap(({ name, refusal }) => (refusal ? [`${name} (${refusal})`] : []));
}

function troubles({ pods }: Observation, suffering: readonly MemberSeen[]): string[] {
  const isKnown = (name: string) => suffering.some((member) => member.name === name);
  return pods.flatMap(({ name, trouble, isTerminating }) =>
    trouble && !isTerminating && !isKnown(name) ? [`${name} (${trouble})`] : [],
  );
}

function foreignObjects({ objects, cluster }: Observation): string[] {
  const { name } = cluster.metadata;
  return [
    objects.peerService.kind === "foreign" && `Service '${peerServiceName(name)}'`,
    objects.clientService.kind === "foreign" && `Service '${clientServiceName(name)}'`,
    objects.disruptionBudget.kind === "foreign" && `PodDisruptionBudget '${disruptionBudgetName(name)}'`,
  ].filter((text) => text !== false);
}
