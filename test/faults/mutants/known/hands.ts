import type { Mutant } from "../mutant.ts";

/** What goes wrong where others change what an operator owns. */
export const handMutants: readonly Mutant[] = [
  {
    name: "compares-what-it-does-not-write",
    reference: "a client Service with a field that ours leaves out",
    bug: "Finds that an object differs in a field that its patch does not change.",
    patches: [
      {
        file: "operator/src/cluster/objects/merge-patch.ts",
        find: "if (isEmpty(labels) && isEmpty(spec)) return undefined;",
        replace:
          'if (isEmpty(labels) && isEmpty(spec) && ({ ...present.spec } as Fields).sessionAffinity !== "ClientIP") return undefined;',
      },
    ],
    caughtBy: ["hands/client-service/spec.sessionAffinity"],
    failsWith: /Degraded is 'true' instead of 'false'|a loop: PATCH services/,
  },
  {
    name: "corrects-at-once-for-ever",
    reference: "two controllers that undo each other's writes",
    bug: "Puts right what another program undoes as often as it is undone.",
    patches: [
      {
        file: "operator/src/cluster/model/stalls.ts",
        find: "return inARow >= WITHOUT_EFFECT || times >= UNDONE;",
        replace: "return false;",
      },
    ],
    caughtBy: ["hands/client-service-publishNotReadyAddresses/again-and-again"],
    failsWith: /a loop: PATCH services a-client/,
  },
  {
    name: "says-nothing-of-lost-labels",
    reference: "a label that was taken from a pod",
    bug: "Waits for the end of a pod that it does not see, and does not say why.",
    patches: [
      {
        file: "operator/src/cluster/repair/lost-labels.act.ts",
        find: "if (!isOwnedBy(pod, metadata.uid) || isLabelled(pod, metadata.name)) return undefined;",
        replace: 'if (pod.kind !== "none") return undefined;',
      },
    ],
    caughtBy: ["hands/pod/metadata.labels.app"],
    failsWith: /no condition says/,
  },
];
