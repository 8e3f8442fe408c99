import type { ClusterState } from "../model/cluster-state.ts";
import type { AlarmSeen } from "../model/observation.ts";
import { listOf, type Situation } from "../model/situation.ts";
import type { ConditionReason } from "../reasons.ts";

/** What is wrong, in one word and in a sentence that says what to do. */
export interface Finding<R extends ConditionReason<"Degraded"> = ConditionReason<"Degraded">> {
  readonly reason: R;
  readonly message: string;
}

type AlarmFinding = Finding<"CorruptAlarm" | "NoSpaceAlarm">;

const ALARMS: Readonly<Record<AlarmSeen["kind"], AlarmFinding>> = {
  corrupt: {
    reason: "CorruptAlarm",
    message:
      "etcd refuses writes because of corrupt data (alarm CORRUPT). Remove the affected member, so that it is replaced, then disarm the alarm. Affected:",
  },
  "no-space": {
    reason: "NoSpaceAlarm",
    message:
      "Compact, defragment and disarm the alarm (docs/operations/nospace.md), or raise spec.etcd.quotaBackendBytes and disarm it: etcd refuses writes because the database is full (alarm NOSPACE) of",
  },
};

/** The message for an alarm that is raised. An alarm of one member affects all: no writes until it is disarmed. */
export function alarmRaised(kind: AlarmSeen["kind"], { now }: ClusterState): readonly AlarmFinding[] {
  const ids = now.seen.alarms.filter((alarm) => alarm.kind === kind).map(({ memberId }) => memberId);
  if (ids.length === 0) return [];
  const { reason, message } = ALARMS[kind];
  return [{ reason, message: `${message} ${listOf([...new Set(ids)].map((id) => nameOf(id, now)))}` }];
}

/** Where etcd finds a difference but not which member is wrong, it blames a member 0. */
function nameOf(id: string, { listed }: Situation): string {
  return id === "0" ? "an unknown member" : (listed.find(({ etcd }) => etcd.id === id)?.name ?? id);
}
