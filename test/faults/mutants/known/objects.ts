import type { Mutant } from "../mutant.ts";

/** What goes wrong with the objects that the operator makes, writes and deletes. */
export const objectMutants: readonly Mutant[] = [
  {
    name: "child-without-parent",
    reference: "percona-xtradb-cluster-operator PR#986",
    bug: "Makes objects for a cluster that is gone, because its view still has it.",
    patches: [
      {
        file: "operator/src/cluster/act/cluster-change.ts",
        find: 'if (!live) return "does not exist any more";',
        replace: "if (!live) return undefined;",
      },
      {
        file: "operator/src/cluster/act/cluster-change.ts",
        find: "if (live.metadata.deletionTimestamp) return",
        replace: "if (false) return",
      },
    ],
    caughtBy: ["views/percona-xtradb-986/delete-20000-ms-behind-of-clusters"],
    failsWith: /unexpected: services\/a created/,
  },
  {
    name: "second-pod-after-lost-answer",
    reference: "objects with generated names: who is not answered makes a second one",
    bug: "Makes a pod under another name when it was not told that the first one was made.",
    patches: [
      {
        file: "operator/src/cluster/act/fenced-writer.ts",
        find: "return this.#writer.create(resource, object, { signal: this.#signal });",
        replace: `const make = (name) =>
      this.#writer.create(resource, { ...object, metadata: { ...object.metadata, name } }, { signal: this.#signal });
    return make(object.metadata.name).catch((error) => {
      if (hasCode(error, "already-exists") || resource.kind !== "Pod") throw error;
      return make(object.metadata.name.slice(0, -1) + "z");
    });`,
      },
    ],
    caughtBy: ["writes/create/POST pods:2-lost-answer"],
    failsWith: /unexpected: pods\/a-\* created 4 times/,
  },
  {
    name: "status-every-pass",
    reference: "operators that are never idle",
    bug: "Writes the status in every pass, whether or not it says anything new.",
    patches: [
      {
        file: "operator/src/cluster/status/worth-writing.status.ts",
        find: "if (!old) return true;",
        replace: "if (next) return true;",
      },
    ],
    caughtBy: ["writes/replace/1-conflict"],
    failsWith: /(does not come to rest: .*|a loop: PUT )etcdclusters\/status/,
  },
  {
    name: "status-at-first-sight",
    reference: "operators that write everything again after each restart",
    bug: "Writes the status of every cluster that it sees for the first time since it was started.",
    patches: [
      {
        file: "controller-runtime/src/reconciler.ts",
        find: "const isRepeated = lastSaid.get(key) === said;",
        replace: "const isRepeated = lastSaid.get(key) === said;\n    const isNew = !lastSaid.has(key);",
      },
      {
        file: "controller-runtime/src/reconciler.ts",
        find: "const changed = special",
        replace: `if (isNew) Object.assign(doing, { steps: { ...steps, isWorthWriting: () => true } });
    const changed = special`,
      },
    ],
    caughtBy: ["fields/EtcdCluster.paused/running", "writes/replace/1-conflict"],
    failsWith: /an operator that was started in the end wrote .*PUT etcdclusters\/status/,
  },
  {
    name: "service-leaked",
    reference: "Services without an owner",
    bug: "Makes Services without an owner, which are not deleted with their cluster.",
    patches: [
      {
        file: "operator/src/cluster/objects/service.ts",
        find: "labels, ownerReferences: [ownerReference(cluster)] }",
        replace: "labels }",
      },
      {
        file: "operator/src/cluster/observe/objects-seen.ts",
        find: "if (isOwnedBy(object, cluster.metadata.uid)) return",
        replace: "if (object) return",
      },
    ],
    caughtBy: ["views/percona-xtradb-986/delete-20000-ms-behind-of-clusters"],
    failsWith: /services\/a has outlived its cluster/,
  },
  {
    name: "pod-of-removed-member-left",
    reference: "etcd: a removed member exits, also when it is restarted",
    bug: "Leaves the pods of members that were removed.",
    patches: [
      {
        file: "operator/src/cluster/repair/remove-strays.rule.ts",
        find: "if (pods.length > 0) {",
        replace: "if (false) {",
      },
    ],
    caughtBy: ["writes/scale-down/removeMember:1-crash-after"],
    failsWith: /: pods is 'a-/,
  },
  {
    name: "secret-in-the-log",
    reference: "operators that log what they have read",
    bug: "Logs all that it has observed, and with it the keys of members.",
    patches: [
      {
        file: "operator/src/cluster/tls/read-tls-secrets.ts",
        find: "parseSecret(role, name, found.data ?? {})",
        replace: "({ ...parseSecret(role, name, found.data ?? {}), data: found.data })",
      },
      {
        file: "operator/src/cluster/observe.ts",
        find: "tls: secrets && tlsSeen(cluster, secrets, pods, nowMs),",
        replace: "tls: secrets && { ...tlsSeen(cluster, secrets, pods, nowMs), whole: secrets },",
      },
      {
        file: "operator/src/cluster/reconcile.ts",
        find: "const stalled = own.all();",
        replace: 'const stalled = own.all();\n      round.pass.logger.info({ tls: seen.tls }, "looked");',
      },
    ],
    caughtBy: ["writes/tls-rotation/1-conflict"],
    failsWith: /a value of Secret \S+ is in the log/,
  },
  {
    name: "tls-forgotten",
    reference: "K8SPSMDB-578",
    bug: "Makes a pod without TLS when it has crashed between the deletion of one pod and the creation of the next.",
    patches: [
      {
        file: "operator/src/cluster/act.ts",
        find: "const fence = fenceOf(isLeading);",
        replace: "const fence = fenceOf(isLeading);\n  const rolled = new Set();",
      },
      {
        file: "operator/src/cluster/act.ts",
        find: "      guardImage,\n    };",
        replace: "      guardImage,\n      rolled,\n    };",
      },
      {
        file: "operator/src/cluster/repair/delete-pods.act.ts",
        find: "{ seen, live, writer }: Work,",
        replace: "{ seen, live, writer, rolled },",
      },
      {
        file: "operator/src/cluster/repair/delete-pods.act.ts",
        find: "const pod = await live.find(resources.pods, name);",
        replace: "const pod = await live.find(resources.pods, name);\n  rolled.add(name);",
      },
      {
        file: "operator/src/cluster/repair/member-objects.act.ts",
        find: "export function podOf({ seen, guardImage }: Work, member: MemberToStart): Pod {",
        replace: "export function podOf({ seen, guardImage, rolled }, member) {",
      },
      {
        file: "operator/src/cluster/repair/member-objects.act.ts",
        find: 'const cluster = start.kind === "returning" ? onClaims(seen.cluster) : seen.cluster;',
        replace: `const made = start.kind === "returning" ? onClaims(seen.cluster) : seen.cluster;
  const isForgotten = start.kind === "returning" && !rolled.has(name);
  const cluster = isForgotten ? { ...made, spec: { ...made.spec, TLS: undefined } } : made;`,
      },
    ],
    caughtBy: ["writes/tls-rotation/DELETE pods:1-crash-after"],
    failsWith: /speaks without TLS/,
  },
  {
    name: "half-made-member",
    reference: "Sieve: what a crash between two writes leaves",
    bug: "Cannot go on where an earlier try has made the volume of a member and not its pod.",
    patches: [
      {
        file: "operator/src/cluster/repair/member-objects.act.ts",
        find: "if (!wanted || (await created(() => work.writer.create(persistentVolumeClaims, wanted)))) return undefined;",
        replace: "if (!wanted || (await work.writer.create(persistentVolumeClaims, wanted))) return undefined;",
      },
    ],
    caughtBy: ["writes/create-parallel/POST persistentvolumeclaims:1-crash-after"],
    failsWith: /members is '0' instead of '3'/,
  },
];
