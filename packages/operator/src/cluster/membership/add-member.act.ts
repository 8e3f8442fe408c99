import { compareVersions, type EtcdClient, EtcdError, factsOf, parseVersion } from "@etcd-operator/etcd-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { memberAddresses } from "../../api/cluster/cluster-names.ts";
import type { MemberList } from "../act/live-etcd.ts";
import { type Postponed, postponed, settled } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, MemberToStart, Step } from "../model/action.ts";
import { idsOf, listedMembers, nameOf } from "../model/members.ts";
import type { EtcdMember } from "../model/observation.ts";
import { keepsQuorumWithNewVoter } from "../model/quorum.ts";
import { checkPlace, makeMember, podOf } from "../repair/member-objects.act.ts";
import { whyMinorCannotBeLeft } from "../rollout/minor-upgrade.act.ts";
import { minorOf } from "../rollout/version-step.rule.ts";
import { entryOf, joiningStart } from "./joining.ts";
import { untilConnectedMs } from "./until-connected.ts";

type AddMember = Extract<Step, { kind: "add-member" }>;

/**
 * Adds a declared member and makes its claim and pod. Finds one that an earlier try has added, also if its answer was
 * lost.
 */
export async function addMember(work: Work, action: AddMember): Promise<ActionOutcome> {
  const { cluster } = work.seen;
  const { name, version } = action;
  const intent = cluster.status?.memberIntents?.find((each) => each.name === name && each.purpose === "Join");
  if (!intent) return postponed(`${name} is not declared`);
  const { incarnation } = intent;
  const [change, list] = await settled([
    work.live.clusterHasChanged(),
    work.etcd.members(),
    checkPlace(work, { name, incarnation }),
  ]);
  if (change) return change;
  if (list.kind === "postponed") return list;
  const added = entryOf(list.members, cluster, name) ? list : await add(work, action, list, incarnation);
  if (added.kind === "postponed") return added;
  // From the member's own copy: where the new one is the second voter, no majority answers before it has started.
  const start = joiningStart(await work.etcd.copyOf(added.via), cluster, name);
  return start.kind === "postponed" ? start : makeMember(work, { name, version, incarnation, start });
}

interface Added {
  readonly kind: "added";
  /** The member that added it, and so knows of it. */
  readonly via: EtcdClient;
}

async function add(work: Work, action: AddMember, list: MemberList, incarnation: number): Promise<Postponed | Added> {
  const { name, asLearner } = action;
  const why =
    whyListIsUnfit(work, list.members) ??
    (asLearner ? whyNoLearner(work, list.members) : await whyNoVoter(work, action, list, incarnation));
  if (why) return postponed(`not adding ${name}: ${why}`, 200);
  const obstacle = await whyTooNew(work, action, list);
  if (obstacle) return { ...obstacle, why: `not adding ${name}: ${obstacle.why}` };
  const refusal = await request(work, action, list.via);
  if (!refusal) return { kind: "added", via: list.via };
  if (refusal.code !== "unhealthy-cluster") return postponed(refusal.message, 200);
  for (const via of await othersOf(work, list)) if (!(await request(work, action, via))) return { kind: "added", via };
  return postponed(refusal.message, untilConnectedMs(work.seen, 200));
}

/** What the member refused before it proposed anything; undefined when it has done it. */
async function request(work: Work, { name, asLearner }: AddMember, member: EtcdClient): Promise<EtcdError | undefined> {
  const peerUrls = [memberAddresses(work.seen.cluster, name).peerUrl];
  try {
    await work.etcd.change(`adding ${name}`, member, (via, options) => via.addMember({ peerUrls, asLearner }, options));
    return undefined;
  } catch (error) {
    if (error instanceof EtcdError && NOT_NOW.has(error.code)) return error;
    throw error;
  }
}

/**
 * The other voters that serve. Each member judges by its own connections, and one may consider a healthy peer inactive
 * for as long as they last, after the peer's pod got another address (etcd-io/etcd#14523).
 */
async function othersOf(work: Work, { members, from }: MemberList): Promise<readonly EtcdClient[]> {
  const voters = await work.etcd.voters(members);
  const others = voters.filter(({ name, isUp }) => isUp && name !== from);
  return Promise.all(others.map(({ name }) => work.etcd.clientOf(name)));
}

const NOT_NOW: ReadonlySet<string> = new Set(["unhealthy-cluster", "too-many-learners", "already-exists"]);

/** One change at a time, and only on the members that the action was planned for. */
function whyListIsUnfit({ seen }: Work, members: readonly EtcdMember[]): string | undefined {
  const unstarted = members.find(({ name }) => name === "");
  if (unstarted) return `member ${nameOf(unstarted)} has not started yet`;
  return idsOf(members) === idsOf(listedMembers(seen)) ? undefined : "the members have changed since they were read";
}

function whyNoLearner({ seen }: Work, members: readonly EtcdMember[]): string | undefined {
  const learner = members.find(({ isLearner }) => isLearner);
  if (learner) return `${learner.name} is still a learner`;
  // A server without learners takes the call for that of a voter.
  const old = seen.pods.find(({ answer: { status } }) => status && !hasLearners(status.version));
  return old && `${old.name} does not support learners`;
}

/** A voter counts from the moment it is added, so the worst is assumed of it; from one to two there is no other way. */
async function whyNoVoter(
  work: Work,
  { name, version }: AddMember,
  { members }: MemberList,
  incarnation: number,
): Promise<string | undefined> {
  const voters = await work.etcd.voters(members);
  if (voters.length > 1 && !keepsQuorumWithNewVoter(voters)) return "quorum would be lost if it never started";
  // The API server may refuse the pod, by a quota or by a policy; better before the cluster waits for it.
  const start: MemberToStart["start"] = { kind: "joining", clusterId: "", peers: [] };
  await work.live.rehearse(resources.pods, podOf(work, { name, version, incarnation, start }));
  return undefined;
}

/**
 * A member that joins with a newer minor than the others moves them out of theirs, like one that is restarted with it.
 */
async function whyTooNew(work: Work, { version }: AddMember, { members }: MemberList): Promise<Postponed | undefined> {
  const running = work.seen.pods.flatMap(({ answer }) => parseVersion(answer.status?.version ?? "") ?? []);
  const [oldest, next] = [running.sort(compareVersions)[0], parseVersion(version)];
  if (!oldest || !next || next.minor <= oldest.minor) return undefined;
  return whyMinorCannotBeLeft(work, minorOf(oldest), await work.etcd.voters(members));
}

function hasLearners(version: string): boolean {
  const known = parseVersion(version);
  return known !== undefined && factsOf(known).hasLearners;
}
