import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  type Packet,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from "dns-packet";
import { answer, type Names, TTL_SECONDS } from "./answer.ts";

export interface Zone {
  readonly names: Names;
  readonly clusterDomain: string;
  /** Whether all names are known by now; until then nothing can be said not to exist. */
  readonly isComplete: () => boolean;
}

const SMALLEST_DATAGRAM = 512;
// What fits into one Ethernet frame: larger answers go over TCP rather than in fragments.
const LARGEST_DATAGRAM = 1232;

const FORMAT_ERROR = 1;
const SERVER_FAILURE = 2;
const NAME_ERROR = 3;
const NOT_IMPLEMENTED = 4;

/** What to send back for a message; undefined for what is no question at all. */
export function replyTo(message: Buffer, zone: Zone, transport: "udp" | "tcp"): Buffer | undefined {
  const question = readQuestion(message);
  if (question === "ignore") return undefined;
  if (question === "malformed") return bareReply(message, FORMAT_ERROR);

  const reply = replyPacket(question, zone);
  const encoded = encode(reply);
  if (transport === "tcp" || encoded.length <= datagramLimit(question)) return encoded;
  return encode({
    ...reply,
    flags: (reply.flags ?? 0) | TRUNCATED_RESPONSE,
    answers: [],
    additionals: extension(question),
  });
}

function readQuestion(message: Buffer): Packet | "malformed" | "ignore" {
  try {
    const packet = decode(message);
    return packet.type === "response" ? "ignore" : packet;
  } catch {
    // Too short for a header, or an answer itself: replying could start an endless exchange.
    return message.length < 12 || ((message[2] ?? 0) & 0x80) !== 0 ? "ignore" : "malformed";
  }
}

function replyPacket(packet: Packet, { names, clusterDomain, isComplete }: Zone): Packet {
  const { id, questions = [] } = packet;
  const base = { id: id ?? 0, type: "response", questions, additionals: extension(packet) } as const;
  const asked = packet.flags ?? 0;
  // There is no other server to ask, which is an answer to those who want one from elsewhere, too.
  const flags = AUTHORITATIVE_ANSWER | RECURSION_AVAILABLE | (asked & RECURSION_DESIRED);
  const [question] = questions;
  if (((asked >> 11) & 0xf) !== 0) return { ...base, flags: flags | NOT_IMPLEMENTED };
  if (!question || questions.length > 1) return { ...base, flags: flags | FORMAT_ERROR };

  const reply = answer(question, names, clusterDomain);
  if (reply.answers.length === 0 && !isComplete()) return { ...base, flags: flags | SERVER_FAILURE };
  return {
    ...base,
    flags: flags | (reply.code === "NXDOMAIN" ? NAME_ERROR : 0),
    answers: [...reply.answers],
    additionals: [...reply.additionals, ...base.additionals],
    // Tells resolvers for how long they may remember that there is nothing.
    ...(reply.answers.length === 0 && { authorities: [authority(clusterDomain)] }),
  };
}

function authority(clusterDomain: string): Answer {
  const timesSeconds = { serial: 1, refresh: TTL_SECONDS, retry: TTL_SECONDS, expire: TTL_SECONDS };
  const data = { mname: `ns.dns.${clusterDomain}`, rname: `hostmaster.${clusterDomain}`, ...timesSeconds };
  return { type: "SOA", name: clusterDomain, ttl: TTL_SECONDS, data: { ...data, minimum: TTL_SECONDS } };
}

function datagramLimit({ additionals = [] }: Packet): number {
  const offered = additionals.find((record) => record.type === "OPT")?.udpPayloadSize ?? SMALLEST_DATAGRAM;
  return Math.min(Math.max(offered, SMALLEST_DATAGRAM), LARGEST_DATAGRAM);
}

/** The EDNS record, for those who sent one. */
function extension({ additionals = [] }: Packet): Answer[] {
  if (!additionals.some((record) => record.type === "OPT")) return [];
  const record = { type: "OPT", name: ".", udpPayloadSize: LARGEST_DATAGRAM, flags: 0, options: [] } as const;
  return [record as unknown as Answer];
}

function bareReply(message: Buffer, code: number): Buffer {
  return encode({ id: message.readUInt16BE(0), type: "response", flags: code, questions: [] });
}
