import type { Mutant } from "../mutant.ts";

/** What goes wrong with the data of members. */
export const dataMutants: readonly Mutant[] = [
  {
    name: "amnesia",
    reference: "etcd: a member that has joined must never start on an empty directory",
    bug: "Gives a member whose data went with its pod another pod, in which it starts again as itself.",
    patches: [
      {
        file: "operator/src/cluster/model/member-state.ts",
        find: "if (!claim || claim.isTerminating || claim.memberId === undefined) return false;",
        replace: "if (!claim || claim.isTerminating || claim.memberId === undefined) return etcd !== undefined;",
      },
      {
        file: "operator/src/cluster/repair/return-members.rule.ts",
        find: "if (claim?.clusterId !== status.clusterID) return false;",
        replace: "if (claim && claim.clusterId !== status.clusterID) return false;",
      },
      {
        file: "operator/src/cluster/repair/return-members.rule.ts",
        find: "const { clusterId, memberId, incarnation } = member.claim ?? {};",
        replace:
          "const { clusterId = now.status.clusterID, memberId = member.etcd?.id, incarnation } = member.claim ?? {};",
      },
      {
        file: "operator/src/cluster/repair/return-members.rule.ts",
        find: "if (!member.claim || !clusterId || !memberId) return [];",
        replace: "if (!clusterId || !memberId) return [];",
      },
      {
        file: "operator/src/cluster/repair/return-members.rule.ts",
        find: 'start: { kind: "returning", clusterId, memberId },\n      claim: idOf(member.claim),',
        replace: 'start: { kind: "joining", clusterId, peers: [] },',
      },
      {
        file: "operator/src/cluster/membership/joining.ts",
        find: 'if (entry.name !== "") return',
        replace: "if (false) return",
      },
    ],
    caughtBy: ["writes/replace/1-conflict"],
    failsWith: /starts empty on .* whose votes the others rely on/,
  },
  {
    name: "volumes-not-judged",
    reference: "etcd: a cluster that is bootstrapped beside the data of another one passes for it, without its data",
    bug: "Bootstraps a new cluster beside the volumes of a deleted one of its name.",
    patches: [
      {
        file: "operator/src/cluster/bootstrap/retained-volumes.rule.ts",
        find: 'if (claims.length === 0 || policy === "Ignore") return',
        replace: "if (claims.length >= 0) return",
      },
    ],
    caughtBy: ["writes/delete-and-reapply/1-conflict"],
    failsWith: /does not continue the deleted one/,
  },
  {
    name: "bootstrapped-beside-orphans",
    reference: "kubernetes: --cascade=orphan leaves what runs without an owner",
    bug: "Bootstraps a new cluster beside members of its name that run without an owner.",
    patches: [
      {
        file: "operator/src/cluster/observe/pods-by-owner.ts",
        find: "return isOfThisName && ownAnnotations(pod).incarnation !== undefined && mayBeTakenOver(pod);",
        replace: "return false;",
      },
    ],
    caughtBy: ["writes/orphan-and-reapply/1-conflict"],
    failsWith: /does not continue the deleted one/,
  },
  {
    name: "volume-reused",
    reference: "zookeeper-operator#517",
    bug: "Leaves the volume of a member that was removed, and gives it to the next one of that name.",
    patches: [
      {
        file: "operator/src/cluster/observe.ts",
        find: "freshNames: freshNames(cluster.metadata.name, random),",
        replace: `freshNames: [0, 1, 2, 3, 4, 5, 6]
      .map((ordinal) => cluster.metadata.name + "-000000000" + ordinal)
      .filter((name) => !pods.some((pod) => pod.name === name)),`,
      },
      {
        file: "operator/src/cluster/repair/remove-strays.rule.ts",
        find: "if (claims.length === 0) return undefined;",
        replace: "if (claims.length >= 0) return undefined;",
      },
      {
        file: "operator/src/cluster/repair/forget-intents.rule.ts",
        find: "const isTriedAlready = pod !== undefined || claim !== undefined;",
        replace: "const isTriedAlready = pod !== undefined;",
      },
      {
        file: "operator/src/cluster/repair/member-objects.act.ts",
        find: "if (made.memberId !== undefined) return",
        replace: "if (false) return",
      },
      {
        file: "operator/src/cluster/guard/verdict.ts",
        find: "if (isNew && !expected.isOwnData) {",
        replace: "if (false) {",
      },
    ],
    caughtBy: ["views/zookeeper-operator-517/down-up-on-claims-crash-afterwards-to-before-for-60000-ms-of-children"],
    failsWith: /is new, and was given the volume of member/,
  },
  {
    name: "claim-deleted-unheeded",
    reference: "Kubernetes: a deleted claim stays for as long as a pod uses it, and goes with the pod",
    bug: "Leaves a member on a claim that is being deleted, until its next restart takes the disk away.",
    patches: [
      {
        file: "operator/src/cluster/rollout/outdated.rule.ts",
        find: "if (losesVolume(member)) return",
        replace: "if (false) return",
      },
    ],
    caughtBy: ["writes/claim-deleted/1-conflict"],
    failsWith: /still runs on a claim that is being deleted/,
  },
  {
    name: "volume-leaked",
    reference: "etcd: the data of a removed member is of no use to anybody",
    bug: "Leaves the volumes of members that were removed.",
    patches: [
      {
        file: "operator/src/cluster/repair/remove-strays.rule.ts",
        find: "if (claims.length === 0) return undefined;",
        replace: "if (claims.length >= 0) return undefined;",
      },
    ],
    caughtBy: ["writes/scale-down/1-conflict"],
    failsWith: /persistentvolumeclaims\/\S+ is a volume without a member/,
  },
  {
    name: "token-reused",
    reference: "etcd#12227",
    bug: "Bootstraps and restores with one token, whatever came before.",
    patches: [
      {
        file: "operator/src/cluster/objects/pod/start.ts",
        find: "export function clusterToken(cluster: EtcdCluster, incarnation: number): string {",
        replace: "export function clusterToken(cluster, incarnation) {\n  incarnation = 1;",
      },
    ],
    caughtBy: ["writes/restore/1-conflict"],
    failsWith: /two clusters have the token/,
  },
  {
    name: "unfenced-restore",
    reference: "etcd: two clusters behind one name would both take writes",
    bug: "Bootstraps the restored cluster while members of the previous one still run.",
    patches: [
      {
        file: "operator/src/cluster/restore/fence-members.rule.ts",
        find: `if (!restore || restore.state === "RollingBack") return undefined;
  const running`,
        replace: `if (!restore || undecidedRestore(status)) return undefined;
  const running`,
      },
      {
        file: "operator/src/cluster/restore/previous-members.act.ts",
        find: "return running && postponed(",
        replace: "return undefined && postponed(",
      },
    ],
    caughtBy: ["writes/restore/1-conflict"],
    failsWith: /began another cluster while a-\S+ still ran/,
  },
  {
    name: "oldest-backups-kept",
    reference: "retention: the newest backup must never go",
    bug: "Keeps the oldest backups, and removes newer ones.",
    patches: [
      {
        file: "operator/src/backup/run/retention.ts",
        find: "(a, b) => last(b) - last(a) || b.revision - a.revision || b.takenAtMs - a.takenAtMs",
        replace: "(a, b) => last(b) - last(a) || a.revision - b.revision || a.takenAtMs - b.takenAtMs",
      },
    ],
    caughtBy: ["writes/periodic/1-conflict"],
    limitMinutes: 20,
    failsWith: /is kept in the place of a newer one/,
  },
  {
    name: "recovery-gives-up",
    reference: "recovery: the outage that takes a majority takes the way to the store, too",
    bug: "Makes five attempts to restore by itself, and none when the store is back.",
    patches: [
      {
        file: "operator/src/restore/start-work.ts",
        find: "isOwnedBy(restore, cluster) ? UNTIL_NOT_NEEDED : undefined",
        replace: "isOwnedBy(restore, cluster) ? undefined : UNTIL_NOT_NEEDED && undefined",
      },
    ],
    caughtBy: ["writes/recover/1-conflict"],
    limitMinutes: 15,
    failsWith: /not recovered/,
  },
];
