import type { Mutant, Patch } from "../mutant.ts";

const ROLLED_FOR_EVER = /unexpected: pods|a loop: |not done: |etcd was started/;

/** A part of the live pod counts as something that the pod was made from. */
function madeFrom(live: string): Patch {
  return {
    file: "operator/src/cluster/observe/pod-seen.ts",
    find: "    specHash,\n    image: etcd?.image,",
    replace: `    specHash: specHash && [specHash, JSON.stringify(${live})].filter(Boolean).join(" "),\n    image: etcd?.image,`,
  };
}

/** What goes wrong where admission makes something else of what is written, or refuses it. */
export const admissionMutants: readonly Mutant[] = [
  {
    name: "initial-members-by-the-image-they-have",
    reference: "a webhook that rewrites images to a mirror",
    bug: "Takes an initial member whose image was rewritten for one of an earlier spec, and starts over.",
    patches: [
      {
        file: "operator/src/cluster/model/replacement.ts",
        find: "imageAsked(pod, seen.cluster) !==",
        replace: "pod.image !==",
      },
    ],
    caughtBy: ["admission/mirror-on-create/create"],
    limitMinutes: 2,
    failsWith: /a loop: |not done: /,
  },
  {
    name: "voters-by-the-image-they-have",
    reference: "a webhook that rewrites images to digests, also of updates",
    bug: "Replaces a member whose image was rewritten, and its successor.",
    patches: [
      {
        file: "operator/src/cluster/rollout/outdated.rule.ts",
        find: "const given = imageGiven(pod, cluster);",
        replace: "const given = pod.image;",
      },
    ],
    caughtBy: ["admission/digest/one-member"],
    limitMinutes: 2,
    failsWith: /unexpected: pods|a loop: |not done: |etcd was started/,
  },
  {
    name: "patched-image-not-recorded",
    reference: "a webhook that rewrites images, also of updates",
    bug: "Records the image that it asks for when it makes a pod, and not when it patches one.",
    patches: [
      {
        file: "operator/src/cluster/rollout/restart-member.act.ts",
        find: "    [ANNOTATIONS.askedImage]: change.image,\n",
        replace: "",
      },
    ],
    caughtBy: ["admission/digest/version-roll"],
    limitMinutes: 2,
    failsWith: /a loop: |does not come to rest|not done: /,
  },
  {
    name: "label-asked-for-ever",
    reference: "a webhook that sets a label itself",
    bug: "Patches a label in every pass that admission changes back in every pass.",
    patches: [
      { file: "operator/src/cluster/objects/pod/pod-metadata.ts", find: " && !isAsked(key, value));", replace: ");" },
    ],
    caughtBy: ["admission/labels/relabel"],
    limitMinutes: 2,
    // Since what has no effect is paced, the labels may also differ for as long as the play waits.
    failsWith: /a loop: (PATCH|PUT) pods|does not come to rest|does not settle: state is 'Updating'/,
  },
  {
    name: "first-container-is-etcd",
    reference: "a webhook that puts a sidecar before the containers of a pod",
    bug: "Takes the first container of a member's pod for etcd, whatever its name is.",
    patches: [
      {
        file: "operator/src/cluster/observe/etcd-container.ts",
        find: "status?.containerStatuses?.find(({ name }) => name === ETCD_CONTAINER);",
        replace: "status?.containerStatuses?.find(({ name }) => name === (containers?.[0]?.name ?? ETCD_CONTAINER));",
      },
      {
        file: "operator/src/cluster/observe/etcd-container.ts",
        find: "export function statusOf({ status }: Pod): ContainerStatus | undefined {",
        replace:
          "export function statusOf({ spec: { containers } = { containers: [] }, status }: Pod): ContainerStatus | undefined {",
      },
    ],
    caughtBy: ["admission/sidecars/version-roll"],
    limitMinutes: 2,
    failsWith: /not done: |does not come to rest/,
  },
  {
    name: "limits-by-default-rolled",
    reference: "a LimitRange that gives containers the limits that they lack",
    bug: "Takes a pod that was given limits for one that was made from another spec, and its successor.",
    patches: [madeFrom("etcd?.resources?.limits")],
    caughtBy: ["admission/defaults/create-parallel"],
    limitMinutes: 2,
    failsWith: ROLLED_FOR_EVER,
  },
  {
    name: "tolerations-of-others-rolled",
    reference: "a webhook that adds tolerations; all but those that Kubernetes itself adds are compared",
    bug: "Takes a pod that was given a toleration for one that was made from another spec, and its successor.",
    patches: [madeFrom('spec?.tolerations?.find(({ key }) => !key?.startsWith("node.kubernetes.io/"))')],
    caughtBy: ["admission/scheduling/create-parallel"],
    limitMinutes: 2,
    failsWith: ROLLED_FOR_EVER,
  },
  {
    name: "worker-is-the-first-container",
    reference: "a webhook that puts a sidecar before the containers of a pod",
    bug: "Waits until the first container of a worker's pod is the worker, and runs.",
    patches: [
      {
        file: "operator/src/transfer/pods/await-worker.ts",
        find: "containerStatuses?.some(({ state }) => state?.running !== undefined)",
        replace:
          'containerStatuses?.slice(0, 1).some(({ name, state }) => name === "worker" && state?.running !== undefined)',
      },
    ],
    caughtBy: ["admission/sidecars/volume-backup"],
    limitMinutes: 2,
    failsWith: /not done: /,
  },
  {
    name: "fence-by-our-own-note",
    reference: "a policy that gives containers of a name their image",
    bug: "Believes that a member has stopped because it was told to, though admission gave it its etcd back.",
    patches: [
      {
        file: "operator/src/cluster/observe/set-aside-seen.ts",
        find: "  if (now === before) return false;\n",
        replace: '  if (now !== "") return true;\n',
      },
    ],
    caughtBy: ["admission/etcd-by-name/restore"],
    limitMinutes: 10,
    failsWith: /not done: |side by side|two clusters|at the same time/,
  },
  {
    name: "refusal-not-told",
    reference: "a webhook that refuses pods, Pod Security",
    bug: "Leaves the status as it was while all that it does is refused.",
    patches: [
      {
        file: "controller-runtime/src/act-and-report.ts",
        find: "isWorthTelling(error) && !signal.aborted",
        replace: "isWorthTelling(error) && signal.aborted",
      },
      {
        file: "operator/src/cluster/status/degraded.status.ts",
        find: 'found("ActionStalled", stalls(seen),',
        replace: 'found("ActionStalled", [],',
      },
    ],
    caughtBy: ["admission/webhook-refuses/scale-up", "admission/pod-security/scale-up", "admission/limits/scale-up"],
    failsWith: /the status never said/,
  },
];
