import { EtcdError } from "@etcd-operator/etcd-client";
import type { Member, Membership } from "@etcd-operator/etcd-client/membership.ts";
import type { EtcdModel } from "../etcd-model.ts";
import type { MemberRecord, MembershipChange } from "./entry.ts";
import type { EtcdProcess } from "./etcd-process.ts";
import type { ChangeAsked } from "./facts.ts";
import { memberIdOf } from "./ids.ts";
import { type Refusal, type RulesScene, whyNotAdd, whyNotPromote, whyNotRemove } from "./membership-rules.ts";
import type { Call, MakeCall } from "./model-client.ts";

/** The calls about members, by etcd's rules. */
export function membershipCalls(model: EtcdModel, make: MakeCall): Membership {
  const change = (call: Call, wanted: MembershipChange, why: (scene: RulesScene) => Refusal | undefined) =>
    changed(model, call, wanted, why);
  return {
    members: (options) =>
      make({ operation: "members" }, options, async (call) => {
        const { linearizable = true } = options ?? {};
        if (linearizable && call.process.facts.hasLinearizableMemberList) await call.leader();
        return membersOf(call.process);
      }),
    addMember: ({ peerUrls, asLearner }, options) =>
      make({ operation: "addMember" }, options, async (call) => {
        const isLearner = asLearner && call.process.facts.hasLearners;
        const id = memberIdOf(peerUrls, call.process.data.clusterId.toString(16), model.clock.now());
        const member: MemberRecord = { id, name: "", peerUrls, clientUrls: [], isLearner };
        await change(call, { kind: "add-member", member }, (scene) => whyNotAdd(scene, isLearner));
        return toMember(member);
      }),
    promoteMember: (id, options) =>
      make({ operation: "promoteMember" }, options, async (call) => {
        if (!call.process.facts.hasLearners) throw call.patience.fail("unsupported", "unknown method MemberPromote");
        const leader = await call.leader();
        return change(call, { kind: "promote-member", id }, () => whyNotPromote(leader, id));
      }),
    removeMember: (id, options) =>
      make({ operation: "removeMember" }, options, (call) =>
        change(call, { kind: "remove-member", id }, (scene) => whyNotRemove(scene, id)),
      ),
    updateMember: (id, peerUrls, options) =>
      make({ operation: "updateMember" }, options, (call) =>
        change(call, { kind: "update-member", id, peerUrls }, () => undefined),
      ),
  };
}

async function changed(
  model: EtcdModel,
  call: Call,
  wanted: MembershipChange,
  why: (scene: RulesScene) => Refusal | undefined,
): Promise<readonly Member[]> {
  const { process, patience } = call;
  const raft = model.group(process.data.clusterId);
  const fact = asked(model, process, wanted);
  raft.changesUnderWay += 1;
  try {
    const nowMs = model.clock.monotonic();
    const refusal = why({ via: process, present: raft.presentOn(process.side), nowMs });
    if (refusal) throw patience.fail(refusal.code, refusal.reason);
    await call.agree(wanted);
    fact.outcome = "applied";
    return membersOf(process);
  } catch (error) {
    if (error instanceof EtcdError) fact.outcome = error.code;
    throw error;
  } finally {
    raft.changesUnderWay -= 1;
    fact.endedAtMs = model.clock.now();
  }
}

function asked(
  model: EtcdModel,
  { data, launch, facts: { hasLearners } }: EtcdProcess,
  wanted: MembershipChange,
): ChangeAsked {
  const members = [...data.state.members.values()];
  const { processes, changesUnderWay } = model.group(data.clusterId);
  const isAbsent = (id: bigint) => !processes.some((each) => each.memberId === id && each.isPresent);
  const id = wanted.kind === "add-member" ? wanted.member.id : wanted.id;
  const fact: ChangeAsked = {
    atMs: model.clock.now(),
    clusterId: data.clusterId,
    via: launch.pod,
    kind: wanted.kind,
    id,
    peerUrls: wanted.kind === "add-member" ? wanted.member.peerUrls : [],
    isLearner: (wanted.kind === "add-member" ? wanted.member : data.state.members.get(id))?.isLearner ?? false,
    knowsLearners: hasLearners,
    absent: members.filter((each) => !each.isLearner && isAbsent(each.id)).map((each) => each.id),
    unstarted: members.filter(({ name }) => name === "").flatMap(({ peerUrls }) => peerUrls),
    underWay: changesUnderWay,
  };
  model.facts.changes.push(fact);
  return fact;
}

function membersOf({ data }: EtcdProcess): Member[] {
  return [...data.state.members.values()].map(toMember);
}

function toMember({ id, name, peerUrls, clientUrls, isLearner }: MemberRecord): Member {
  return { id, name, peerUrls, clientUrls, isLearner };
}
