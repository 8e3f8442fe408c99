import type { Mutant, Patch } from "../mutant.ts";

/** The health of the others is checked before it is decided, and again before it is done. */
const ROLL_AT_ONCE: readonly Patch[] = [
  {
    file: "operator/src/cluster/rollout/roll-out.rule.ts",
    find: "const wait = whyNotNow(now);\n  if (wait)\n",
    replace: "const wait = whyNotNow(now);\n  if (false)\n",
  },
  {
    file: "operator/src/cluster/rollout/restart-member.act.ts",
    find: "if (absent) return",
    replace: "if (false) return",
  },
  {
    file: "operator/src/cluster/rollout/restart-member.act.ts",
    find: "others.length >= majorityOf(voters.length) ?",
    replace: "others.length >= 0 ?",
  },
];

/** What goes wrong where members are taken down for a change. */
export const rollingMutants: readonly Mutant[] = [
  {
    name: "roll-beside-one-that-is-down",
    reference: "etcd-druid DEP-07, opensearch-k8s-operator#1471",
    bug: "Takes a healthy member down for another version while one is not back yet.",
    patches: ROLL_AT_ONCE,
    caughtBy: ["writes/upgrade/1-conflict"],
    failsWith: /was taken down while .* was down/,
  },
  {
    name: "roll-into-quorum-loss",
    reference: "etcd-operator#1969",
    bug: "Goes on to the next member though the last one does not come up with what it was given.",
    patches: ROLL_AT_ONCE,
    caughtBy: ["fields/EtcdCluster.pod.labels{}/in-trouble"],
    failsWith: /the cluster was not available/,
  },
  {
    name: "only-when-stable",
    reference: "Acto, SOSP'23",
    bug: "Changes members only while all of them are well, so that the spec which would heal one never reaches it.",
    patches: [
      {
        file: "operator/src/cluster/repair/unstick-member.rule.ts",
        find: "return stuck && restartOf(stuck, now);",
        replace: "return undefined;",
      },
      {
        file: "operator/src/cluster/rollout/roll-out.rule.ts",
        find: "if (stuck && now.voters.every(",
        replace: "if (false && now.voters.every(",
      },
      {
        file: "operator/src/cluster/repair/return-members.rule.ts",
        find: 'if (!pod || pod.stage === "ended") return pod !== undefined;\n',
        replace: 'return pod?.stage === "ended";\n',
      },
    ],
    caughtBy: ["fields/EtcdCluster.pod.labels{}/in-trouble"],
    failsWith: /end of trouble .*: ready pods is/,
  },
];
