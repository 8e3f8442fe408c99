/** What a server, or a library on its behalf, says: one line, and without anything secret that it may have quoted. */
export type Redact = (said: string) => string;

const REDACTED = "[redacted]";
const LONGEST = 300;
/** More is not looked at: some of the shapes take the square of the length, and the server may be anybody's. */
const MOST_LOOKED_AT = 2_000;
/** Shorter ones are no secrets, and would be found in every other word. */
const SHORTEST_SECRET = 4;

/** What credentials look like, for those that we were not given: the keys of a role, say, or a signature. */
const SHAPES: readonly RegExp[] = [
  // Ids of keys, of AWS and of Alibaba Cloud.
  /\b(?:A3T[A-Z0-9]|ABIA|ACCA|AGPA|AIDA|AIPA|AKIA|ANPA|ANVA|AROA|ASCA|ASIA)[A-Z0-9]{16}\b/g,
  /\b(?:LTAI|STS\.)[A-Za-z0-9]{12,}/g,
  // Headers and parameters of requests.
  /(?<=\bauthorization["']?\s*[:=]\s*["']?)[^\s"'][^"'\n]*/gi,
  /(?<=\b(?:Bearer|Basic|SharedKey(?:Lite)?)\s+)\S+/gi,
  /(?<=\b(?:[\w-]*(?:signature|credential|token|secret|password)|AWSAccessKeyId|sig)["']?=["']?)[^\s&,;"'<>)]+/gi,
  // Tokens of Google's, and signed ones.
  /\bya29\.[\w.-]+/g,
  /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  // Whatever else is long enough to be a key or a signature; words and paths have no digits, or something between them.
  /(?=[A-Za-z+/]*[0-9])[A-Za-z0-9+/]{40,}={0,2}/g,
];

/** Takes out these very secrets, as they are and as they would stand in a URL, and whatever looks like one. */
export function redactor(secrets: readonly (string | undefined)[]): Redact {
  const known = secrets
    .filter((secret) => secret !== undefined && secret.length >= SHORTEST_SECRET)
    .flatMap((secret) => [secret as string, encodeURIComponent(secret as string)])
    // One may be the beginning of another.
    .sort((a, b) => b.length - a.length);
  return (said) => {
    const withoutKnown = known.reduce((text, secret) => text.replaceAll(secret, REDACTED), said);
    const text = SHAPES.reduce((each, shape) => each.replace(shape, REDACTED), beginningOf(withoutKnown));
    const line = text.replace(/\s+/g, " ").trim();
    return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
  };
}

/** Up to the last whole word: half a key has not the shape of one. */
function beginningOf(text: string): string {
  return text.length > MOST_LOOKED_AT ? `${text.slice(0, MOST_LOOKED_AT).replace(/\S+$/, "")}…` : text;
}
