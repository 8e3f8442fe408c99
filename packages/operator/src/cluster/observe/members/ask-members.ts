import type { AlarmSeen, AnswerSeen, MembershipSeen } from "../../model/observation.ts";
import { alarmsSeen } from "./alarms-seen.ts";
import { type Asked, askMember, type Expected, notReached, type Question } from "./ask-member.ts";
import { confirmedHealth } from "./learner-health.ts";
import type { Line } from "./member-connections.ts";
import { membershipSeen } from "./membership-seen.ts";

/** Ways to one pod. */
export interface MemberToAsk extends Expected {
  /** Of its pod. */
  readonly uid: string;
  /** Its pod is on the way out: whether it still answers shows at once, and its address may lead nowhere any more. */
  readonly isLeaving: boolean;
  /** It was silent the last time, so an answer is not worth waiting for. */
  readonly isKnownSilent?: boolean;
  line(): Promise<Line>;
  /** After a handshake failed; undefined when there is no better way. */
  renewedLine(): Promise<Line | undefined>;
  /** Of one that does not answer: whether its database is being defragmented. */
  isDefragmenting?(): Promise<boolean>;
}

export interface Answers {
  /** By the UID of the pod. */
  readonly answers: ReadonlyMap<string, AnswerSeen>;
  readonly membership: MembershipSeen;
  readonly alarms: readonly AlarmSeen[];
}

/** Asks all members at once for their status, and then one of them for the list of members. */
export async function askMembers(members: readonly MemberToAsk[], question: Question): Promise<Answers> {
  const asked = await Promise.all(members.map((member) => askOver(member, question)));
  const reached = asked.flatMap((each) => each.reached ?? []);
  const listed = membershipSeen(reached, question);
  const [membership, alarms] = await Promise.all([listed, alarmsSeen(reached, question, listed)]);
  // A cancelled check has observed nothing, and must not continue as if no member had responded.
  question.signal.throwIfAborted();
  const answers = confirmedHealth(members.map((_, index) => answerIn(asked[index])));
  return { answers: new Map(members.map(({ uid }, index) => [uid, answers[index] ?? NO_ANSWER])), membership, alarms };
}

/** As a rule enough for a member that answers at all. */
const SHORT_TIMEOUT_MS = 250;

async function askOver(member: MemberToAsk, asking: Question): Promise<Asked> {
  const { isLeaving, isKnownSilent = false } = member;
  const question = isLeaving || isKnownSilent ? { ...asking, timeoutMs: SHORT_TIMEOUT_MS } : asking;
  // It takes time of its own, and is likely to be needed.
  const isBusy = isKnownSilent && !isLeaving ? member.isDefragmenting?.() : undefined;
  // A caller that stops asking learns it from its own request.
  isBusy?.catch(() => undefined);
  const ask = async (line: Line) =>
    line.kind === "open" ? askMember(line.client, question, member) : notReached(line.why);
  const asked = await ask(await member.line());
  if (!asked.isTlsFailure) return unlessBusy(asked, member, () => isBusy ?? member.isDefragmenting?.());
  const renewed = await member.renewedLine();
  return renewed ? ask(renewed) : asked;
}

/** A defragmentation keeps a member from answering until it ends, and shows in its metrics. */
async function unlessBusy(
  asked: Asked,
  { isLeaving }: MemberToAsk,
  isDefragmenting: () => Promise<boolean> | undefined,
): Promise<Asked> {
  const { health, otherClusterId, otherMemberId } = asked.answer;
  const isSilent = health !== "healthy" && otherClusterId === undefined && otherMemberId === undefined;
  if (!isSilent || isLeaving || !(await isDefragmenting())) return asked;
  return { ...asked, answer: { ...asked.answer, why: DEFRAGMENTING, isDefragmenting: true } };
}

const DEFRAGMENTING = "its database is being defragmented, and it does not respond meanwhile";

function answerIn(asked: Asked | undefined): AnswerSeen {
  return asked?.answer ?? NO_ANSWER;
}

const NO_ANSWER: AnswerSeen = { health: "unknown" };
