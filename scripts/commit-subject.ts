const TYPES = "feat|fix|docs|test|refactor|perf|bench|build|ci|chore|style|revert";
const SUBJECT = new RegExp(`^(?:${TYPES})(?:\\([a-z0-9,/-]+\\))?!?: (?<first>\\S+)(?: .*)?$`);
const MAX_LENGTH = 72;
// "need" and "feed" are imperatives, and so is "bring".
const IMPERATIVES = new Set([
  "embed",
  "exceed",
  "feed",
  "need",
  "proceed",
  "seed",
  "shed",
  "speed",
  "bring",
  "ping",
  "string",
]);

export interface Commit {
  readonly hash: string;
  readonly subject: string;
  readonly body: string;
}

/** What is wrong with the message of a commit, each in one sentence. */
export function findingsOf({ subject, body }: Commit): readonly string[] {
  return [
    ...findingsOfSubject(subject),
    ...(body.trim() ? [] : ["it has no body: say what was seen, why, and why it is safe"]),
  ];
}

function findingsOfSubject(subject: string): readonly string[] {
  const findings: string[] = [];
  if (subject.length > MAX_LENGTH)
    findings.push(`its subject has ${subject.length} characters, ${MAX_LENGTH} are allowed`);
  const first = SUBJECT.exec(subject)?.groups?.first;
  if (first === undefined)
    return [...findings, "its subject is not of the form `fix(cluster): keep the claim of a member`"];
  if (/^[A-Z][a-z]/.test(first)) findings.push(`'${first}' begins with a capital letter`);
  if (/(?:ed|ing)$/.test(first) && !IMPERATIVES.has(first))
    findings.push(`'${first}' is not an imperative: write what the commit does`);
  if (subject.endsWith(".")) findings.push("its subject ends with a full stop");
  if (subject.includes("; ")) findings.push("its subject joins changes with ';': make a commit of each");
  return findings;
}
