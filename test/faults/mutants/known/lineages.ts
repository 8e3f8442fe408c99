import type { Mutant } from "../mutant.ts";

/** What goes wrong where one cluster takes the place of another. */
export const lineageMutants: readonly Mutant[] = [
  {
    name: "bootstrapped-beside-volumes",
    reference: "a GitOps tool prunes a cluster and applies it again",
    bug: "Bootstraps an empty cluster beside the volumes that the deleted one left.",
    patches: [
      {
        file: "operator/src/cluster/bootstrap/retained-volumes.rule.ts",
        find: 'if (claims.length === 0 || policy === "Ignore") return { kind: "none" };',
        replace: 'if (claims.length >= 0) return { kind: "none" };',
      },
    ],
    caughtBy: ["lineages/cluster-deleted/cluster-deleted", "lineages/cluster-deleted/majority-lost"],
    failsWith: /an empty cluster was bootstrapped beside objects of the first/,
  },
  {
    name: "unsaved-volumes-deleted",
    reference: "a restore must delete nothing that is in no store",
    bug: "Deletes the volumes that a restore has set aside, whether or not they could be saved.",
    patches: [
      {
        file: "operator/src/cluster/restore/restoring.rule.ts",
        find: "return saved === true && allSaved === true;",
        replace: "return saved !== allSaved || true;",
      },
      {
        file: "operator/src/cluster/restore/restoring.rule.ts",
        find: "return incarnation < (restore?.keepsClaimsBelow ?? 0);",
        replace: "return incarnation < 0 * (restore?.keepsClaimsBelow ?? 0);",
      },
    ],
    caughtBy: ["lineages/midway/rolled-back-while-joining"],
    failsWith: /claim a-\S+ was deleted, and nothing else has the acknowledged writes/,
  },
  {
    name: "saved-before-taken-for-all",
    reference: "a restore must delete nothing that is in no store",
    bug: "Takes what was saved while the cluster served for all that it has acknowledged by the time it stops.",
    patches: [
      {
        file: "operator/src/cluster/restore/fence-members.rule.ts",
        find: "if (status.revision > savedRevision)",
        replace: "if (status.revision < savedRevision)",
      },
    ],
    caughtBy: ["lineages/beyond-backups/written-after-saving"],
    failsWith: /neither a claim nor a backup has the acknowledged writes/,
  },
  {
    name: "revisions-compared-over-clusters",
    reference: "retention after a restore: the restored cluster begins at lower revisions",
    bug: "Takes the backup with the highest revision for the newest, whichever etcd cluster it is of.",
    patches: [
      {
        file: "operator/src/backup/run/retention.ts",
        find: "(clusterID === living) === isWanted",
        replace: "isWanted",
      },
      {
        file: "operator/src/backup/run/retention.ts",
        find: "last(b) - last(a) || b.revision - a.revision",
        replace: "b.revision - a.revision || last(b) - last(a)",
      },
    ],
    caughtBy: ["lineages/beyond-backups/lower-revisions"],
    failsWith: /of the living cluster is gone, and older ones are kept/,
  },
  {
    name: "unknown-word-dropped",
    reference: "an operator that is rolled back does not know all that it reads",
    bug: "Leaves out of the status what it cannot read, a restore under way among it, and goes on without.",
    patches: [
      { file: "operator/src/objects/judged-object.ts", find: "if (isOurs(stored.status))", replace: "if (false)" },
    ],
    caughtBy: ["lineages/midway/rolled-back-while-joining"],
    failsWith: /the restored cluster has become|acknowledged writes are gone|nothing else has the acknowledged writes/,
  },
];
