/** "defect": no member can be started with these files. "warning": they work, but should be reviewed. */
export type Severity = "defect" | "warning";

export type FindingCode =
  | "secret-missing"
  | "secret-forbidden"
  | "secret-unread"
  | "key-missing"
  | "unusable"
  | "key-mismatch"
  | "not-a-ca"
  | "untrusted"
  | "not-yet-valid"
  | "expired"
  | "expires-soon"
  | "names"
  | "usage"
  | "weak"
  | "trust-both-first";

/** Something that is wrong with one of the Secrets. It has the same words as long as the matter is the same. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** Name of the Secret, which is in the namespace of the cluster. */
  readonly secret: string;
  /** The key in it; undefined when it is about the Secret itself. */
  readonly key: string | undefined;
  /** What is wrong, as the rest of a sentence that began with the key. */
  readonly defect: string;
  /** What to do. */
  readonly remedy: string;
  /** Of what expires soon: the least of 30, 7 and 1 days that covers it. */
  readonly withinDays?: number;
}

/** For a condition, an Event or the log. */
export function describeFinding({ secret, key, defect, remedy }: Finding): string {
  return `Secret '${secret}'${key === undefined ? "" : `, key '${key}'`} ${defect}: ${remedy}`;
}

/** Each matter once, defects first: what is a defect to one check may be a warning to another. */
export function distinct(findings: readonly Finding[]): readonly Finding[] {
  const ordered = [...ofSeverity("defect", findings), ...ofSeverity("warning", findings)];
  const isSame = (a: Finding, b: Finding) => a.secret === b.secret && a.key === b.key && a.defect === b.defect;
  return ordered.filter((finding, index) => ordered.findIndex((each) => isSame(each, finding)) === index);
}

export function ofSeverity(severity: Severity, findings: readonly Finding[]): readonly Finding[] {
  return findings.filter((finding) => finding.severity === severity);
}
