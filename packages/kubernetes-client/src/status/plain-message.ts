type Replacement = string | ((...found: string[]) => string);

/**
 * A message as a reader of a status or an Event can use it: one line, no raw text of sockets or OpenSSL, at most 1 KiB.
 * Logs keep the original.
 */
export function plainMessage(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  // Every pass over every object asks, and hardly one of the messages has any.
  const plain = !MAY_BE_RAW.test(line)
    ? line
    : RAW_TEXTS.reduce((told, [raw, words]) => told.replace(raw, words as string), line);
  return cutAtWord(plain);
}

/** More than anybody reads at once; kubectl and Events show no more. */
export const LONGEST_MESSAGE_BYTES = 1024;

function cutAtWord(text: string): string {
  if (text.length <= LONGEST_MESSAGE_BYTES / 4 || Buffer.byteLength(text) <= LONGEST_MESSAGE_BYTES) return text;
  const room = LONGEST_MESSAGE_BYTES - Buffer.byteLength("…");
  // Half a character at the end decodes to a replacement character.
  const fits = Buffer.from(text)
    .subarray(0, room)
    .toString()
    .replace(/\uFFFD+$/, "");
  const end = fits.lastIndexOf(" ");
  return `${end > room / 2 ? fits.slice(0, end) : fits}…`;
}

const MAY_BE_RAW = /E[A-Z]{4}|EAI_|error:|socket hang up|altnames/;

/** Where Node.js names it, the address follows the code: "connect ECONNREFUSED 10.0.0.1:2379". */
const socket = (code: string) =>
  new RegExp(
    String.raw`\b(?:(?:connect|read|write|bind|getaddrinfo|query\w*) )?${code}\b(?: ((?:\[[0-9a-fA-F:.]+\]|[\w.:-]+?)(?::\d+)?)(?=$|[\s,;)]))?`,
    "g",
  );

const OPENSSL = String.raw`(?:\b(?:write|read) )?(?:\bEPROTO )?(?:\b[0-9A-Fa-f]+:)?error:[0-9A-Fa-f]+:[^:]*:[^:]*:`;
const OPENSSL_PLACE = String.raw`(?::[^\s:]*:\d+:(?:SSL alert number \d+)?:?)?`;
const openssl = (reason: string) => new RegExp(`${OPENSSL}${reason}${OPENSSL_PLACE}`, "g");

const RAW_TEXTS: readonly (readonly [RegExp, Replacement])[] = [
  [socket("ECONNREFUSED"), (_, at) => `the connection${to(at)} was refused: nothing listens there`],
  [socket("(?:ECONNRESET|EPIPE|ECONNABORTED)"), () => "the other side closed the connection"],
  [/\bsocket hang up\b/g, "the other side closed the connection"],
  [socket("(?:ETIMEDOUT|ESOCKETTIMEDOUT)"), (_, at) => `no answer in time${from(at)}`],
  [socket("(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN)"), (_, at) => `there is no network route${to(at)}`],
  [socket("ENOTFOUND"), (_, name) => `DNS does not know the name${name ? ` '${name}'` : ""}`],
  [socket("(?:EAI_AGAIN|ESERVFAIL|EREFUSED)"), (_, name) => `DNS gave no answer${name ? ` for '${name}'` : ""}`],
  [
    openssl("(?:ssl/)?(?:tls|tlsv\\d+|sslv3|tlsv13)? ?alert certificate required"),
    "the other side requires a client certificate",
  ],
  [
    openssl("(?:ssl/)?(?:tls|tlsv\\d+|sslv3)? ?alert (?:bad|unsupported) certificate"),
    "the other side does not accept the certificate it was shown",
  ],
  [
    openssl("(?:ssl/)?(?:tls|tlsv\\d+|sslv3)? ?alert (?:unknown ca|certificate unknown)"),
    "the other side does not trust the CA of the certificate it was shown",
  ],
  [
    openssl("(?:ssl/)?(?:tls|tlsv\\d+|sslv3)? ?alert certificate expired"),
    "the other side says that the certificate it was shown has expired",
  ],
  [openssl("(?:ssl/)?(?:tls|tlsv\\d+|sslv3)? ?alert handshake failure"), "no TLS connection that both sides accept"],
  [openssl("(?:wrong version number|packet length too long|http request)"), "the other side does not use TLS"],
  [openssl("[^:]*"), "the TLS connection failed"],
  [/\bHostname\/IP does not match certificate's altnames: /g, "the server's certificate is for other names: "],
];

function to(address: string | undefined): string {
  return address ? ` to ${address}` : "";
}

function from(address: string | undefined): string {
  return address ? ` from ${address}` : "";
}
