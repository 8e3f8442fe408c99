import type { Mutant } from "../mutant.ts";

/** What goes wrong where members are taken down for a change. */
export const rollingMutants: readonly Mutant[] = [
  {
    name: "roll-beside-one-that-is-down",
    reference: "etcd-druid DEP-07",
    bug: "Takes a healthy member down for another version while one is not back yet.",
    patches: [
      {
        file: "cluster/rules/roll-out.ts",
        find: "const wait = whyNotNow(now);\n  if (wait)\n",
        replace: "const wait = whyNotNow(now);\n  if (false)\n",
      },
      { file: "cluster/act/restart-member.ts", find: "if (absent) return", replace: "if (false) return" },
      {
        file: "cluster/act/restart-member.ts",
        find: "others.length >= majorityOf(voters.length) ?",
        replace: "others.length >= 0 ?",
      },
    ],
    caughtBy: ["writes/upgrade/1-conflict"],
    failsWith: /was taken down while .* was down/,
  },
  {
    name: "roll-on-a-view-that-lags",
    reference: "opensearch-k8s-operator#1471",
    bug: "Believes its view that all members are up, and takes the next one down.",
    patches: [
      {
        file: "cluster/act/restart-member.ts",
        find: "return (await whyStaysUp(work, action)) ?? carryOut(work, action, pod);",
        replace: "return carryOut(work, action, pod);",
      },
      {
        file: "cluster/outdated.ts",
        find: 'if (health !== "healthy" || !pod?.isReady || pod.isTerminating || pod.awaitsNewImage) return false;',
        replace: "if (!pod?.isReady || pod.isTerminating || pod.awaitsNewImage) return false;",
      },
      {
        file: "cluster/outdated.ts",
        find: "return pod.version === undefined || isSameRelease(pod.answer.status?.version, pod.version);",
        replace: "return true;",
      },
    ],
    caughtBy: [],
    failsWith: /was taken down while .* was down/,
  },
  {
    name: "dead-at-once",
    reference: "etcd: who is away for a moment is not dead",
    bug: "Replaces a member as soon as it does not answer, also one that is being restarted for a change.",
    patches: [],
    caughtBy: [],
    failsWith: /./,
  },
];
