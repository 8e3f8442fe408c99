import type { IncomingMessage } from "node:http";

/** How client and kubelet speak after an upgrade: what carries the streams, and which protocol these follow. */
export interface Agreement {
  readonly carrier: "websocket" | "spdy" | "spdy in a websocket";
  readonly protocol: string;
  /** What is said to the client in the answer. */
  readonly answer: readonly string[];
}

/** Protocols by their carrier, the best first. */
export type Spoken = Partial<Readonly<Record<Agreement["carrier"], readonly string[]>>>;

const TUNNEL = "SPDY/3.1+";

/** Finds a way to speak that both sides know; a text says why there is none. */
export function agreementFor({ headers }: Pick<IncomingMessage, "headers">, spoken: Spoken): Agreement | string {
  const upgrade = String(headers.upgrade ?? "").toLowerCase();
  if (upgrade === "websocket") return webSocketAgreement(namesIn(headers["sec-websocket-protocol"]), spoken);
  if (upgrade !== "spdy/3.1") return `unable to upgrade: unknown protocol ${JSON.stringify(headers.upgrade ?? "")}`;
  const offered = namesIn(headers["x-stream-protocol-version"]);
  const known = spoken.spdy ?? [];
  // Clients from before there was a choice do not name any.
  const protocol = offered.length === 0 ? known[0] : known.find((each) => offered.includes(each));
  if (protocol === undefined) return noneOf(offered, known);
  return { carrier: "spdy", protocol, answer: [`X-Stream-Protocol-Version: ${protocol}`] };
}

function webSocketAgreement(offered: readonly string[], spoken: Spoken): Agreement | string {
  const answer = (name: string) => [`Sec-WebSocket-Protocol: ${name}`];
  const tunnelled = (spoken["spdy in a websocket"] ?? []).find((each) => offered.includes(`${TUNNEL}${each}`));
  if (tunnelled)
    return { carrier: "spdy in a websocket", protocol: tunnelled, answer: answer(`${TUNNEL}${tunnelled}`) };
  const known = spoken.websocket ?? [];
  const protocol = known.find((each) => offered.includes(each));
  if (protocol) return { carrier: "websocket", protocol, answer: answer(protocol) };
  const fallback = known.at(-1);
  if (offered.length === 0 && fallback) return { carrier: "websocket", protocol: fallback, answer: [] };
  return noneOf(offered, known);
}

function namesIn(header: string | readonly string[] | undefined): string[] {
  return String(header ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function noneOf(offered: readonly string[], known: readonly string[]): string {
  const [theirs, ours] = [offered, known].map((names) => `[${names.join(" ")}]`);
  return `unable to upgrade: unable to negotiate protocol: client supports ${theirs}, server accepts ${ours}`;
}
