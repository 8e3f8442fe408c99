import type { Mutant } from "../mutant.ts";

/** What goes wrong where members are added and removed. */
export const membershipMutants: readonly Mutant[] = [
  {
    name: "voter-instead-of-learner",
    reference: "etcd: one to two as a voter stalls writes, and who never starts costs the majority",
    bug: "Adds members as voters, though etcd knows learners.",
    patches: [
      {
        file: "operator/src/cluster/membership/scale-up.rule.ts",
        find: "const asLearner = clusterFacts(now).hasLearners;",
        replace: "const asLearner = false;",
      },
    ],
    caughtBy: ["writes/scale-up/addMember:1-crash-after"],
    failsWith: /was added as a voter, though it could have been a learner/,
  },
  {
    name: "add-beside-unstarted",
    reference: "etcd: strict-reconfig-check accepts two that have not started",
    bug: "Adds the next member before the last one has started.",
    patches: [
      {
        file: "operator/src/cluster/membership/scale-up.rule.ts",
        find: "if (next) return",
        replace: "if (false) return",
      },
      {
        file: "operator/src/cluster/membership/scale-up.rule.ts",
        find: "if (unfinished) return",
        replace: "if (false) return",
      },
      {
        file: "operator/src/cluster/membership/add-member.act.ts",
        find: "if (unstarted) return",
        replace: "if (false) return",
      },
      {
        file: "operator/src/cluster/membership/add-member.act.ts",
        find: "if (learner) return",
        replace: "if (false) return",
      },
    ],
    caughtBy: ["writes/scale-up/addMember:1-conflict"],
    failsWith: /was added while .* had not started/,
  },
  {
    name: "ghost-member",
    reference: "etcd-operator#2148",
    bug: "Forgets that it has asked for an addition, so that a member is on the list that is never started or removed.",
    patches: [
      {
        file: "operator/src/cluster/repair/resume-join.rule.ts",
        find: 'if (!status.clusterID || !joining || seen.membership.kind === "unknown") return undefined;',
        replace: "return undefined;",
      },
      {
        file: "operator/src/cluster/repair/remove-dead-member.rule.ts",
        find: "return !isStarted(member) && member.intent === undefined && !member.isExternal;",
        replace: "return false;",
      },
      {
        file: "operator/src/cluster/repair/remove-dead-member.rule.ts",
        find: "now.learners.find((member) => isToBeReplaced(member, now))",
        replace: "now.learners.find((member) => isStarted(member) && isToBeReplaced(member, now))",
      },
    ],
    caughtBy: ["writes/scale-up/addMember:1-crash-after"],
    failsWith: /learners is '1' instead of '0'/,
  },
  {
    name: "stale-scale-down",
    reference: "zookeeper-operator#314",
    bug: "Removes a member for a size that is not asked for any more.",
    patches: [
      {
        file: "operator/src/cluster/membership/surplus-check.act.ts",
        find: "if (change) return { look: change, pods };",
        replace: "",
      },
      {
        file: "operator/src/cluster/membership/remove-one.act.ts",
        find: "return change ?? list;",
        replace: "return list;",
      },
    ],
    caughtBy: ["views/zookeeper-operator-314/down-up-on-claims-crash-afterwards-to-between-for-60000-ms-of-clusters"],
    failsWith: /unexpected: pods\/a-\* deleted 2 times/,
  },
  {
    name: "removed-on-an-old-view",
    reference: "etcd: health unknown is not unhealthy",
    bug: "Removes a member as dead because an old view shows no pod of it.",
    patches: [
      {
        file: "operator/src/cluster/membership/why-not-removed.act.ts",
        find: 'return (await etcd.isHealthy(entry)) ? "it responds again" : whyNotAsSeen(work, entry);',
        replace: "return undefined;",
      },
    ],
    caughtBy: ["views/pod-lost-pod-lost/crash-afterwards-to-between-for-30000-ms-of-pods"],
    failsWith: /unexpected: pods\/a-\* deleted 3 times/,
  },
  {
    name: "add-before-remove",
    reference: "etcd: with one of three down even a learner is refused",
    bug: "Wants the successor of a dead member to be there before it removes the dead one.",
    patches: [
      {
        file: "operator/src/cluster/repair/remove-dead-member.rule.ts",
        find: "const dead = now.voters.filter((member) => isToBeReplaced(member, now));",
        replace:
          "const dead = now.voters.filter((member) => isToBeReplaced(member, now) && now.listed.length > now.spec.size);",
      },
      {
        file: "operator/src/cluster/membership/scale-up.rule.ts",
        find: "if (!declared && listed.length >= wantedSize(now)) return undefined;",
        replace: 'if (now.voters.every(({ health }) => health === "healthy")) return undefined;',
      },
      {
        file: "operator/src/cluster/membership/scale-up.rule.ts",
        find: "if (absent) return",
        replace: "if (false) return",
      },
      {
        file: "operator/src/cluster/membership/scale-up.rule.ts",
        find: "if (leaving) return",
        replace: "if (false) return",
      },
      {
        file: "operator/src/cluster/repair/forget-intents.rule.ts",
        find: "now.listed.length >= wantedSize(now)",
        replace: "now.listed.length > wantedSize(now)",
      },
    ],
    caughtBy: ["writes/replace/1-conflict"],
    // It tries again and again.
    limitMinutes: 2,
    failsWith: /Recovering is 'true' instead of 'false'/,
  },
  {
    name: "frozen-initial-cluster",
    reference: "cozystack#336",
    bug: "Tells a new member of the initial members only, and not of those that have joined since.",
    patches: [
      {
        file: "operator/src/cluster/membership/joining.ts",
        find: "const others = members.filter((member) => member !== entry);",
        replace: "const others = members.filter((member) => member !== entry).slice(0, 1);",
      },
    ],
    caughtBy: ["writes/create/addMember:2-crash-after"],
    failsWith: /learners is '1' instead of '0'/,
  },
  {
    name: "new-cluster-by-recovery",
    reference: "etcd-druid#452",
    bug: "Starts a returning member as an initial one, so that without its data it bootstraps a cluster beside the others.",
    patches: [
      {
        file: "operator/src/cluster/objects/pod/etcd-command.ts",
        find: 'return [initialClusterFlag([...start.peers, itself]), "--initial-cluster-state=existing"];',
        replace:
          'return [initialClusterFlag([itself]), "--initial-cluster-state=new", "--initial-cluster-token=recovery"];',
      },
    ],
    caughtBy: ["writes/replace/1-conflict"],
    failsWith: /began another cluster while a-\S+ still ran/,
  },
  {
    name: "change-asked-twice",
    reference: "Jepsen: jetcd 0.8.2 retried what is not idempotent",
    bug: "Sends a change of members again before the first was answered.",
    patches: [
      {
        file: "operator/src/cluster/act/live-etcd.ts",
        find: `this.#fence(operation);
    return ask(via, { signal: this.#signal, expectClusterId: this.#clusterId() });`,
        replace: `this.#fence(operation);
    const once = () => ask(via, { signal: this.#signal, expectClusterId: this.#clusterId() });
    return Promise.any([once(), once()]);`,
      },
    ],
    caughtBy: ["writes/scale-up/addMember:1-conflict"],
    failsWith: /add-member by way of .* while another change was under way/,
  },
];
