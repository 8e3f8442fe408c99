import type { KubeObject, Stored } from "../requests/kube-object.ts";

/**
 * The status of an object of ours holds what this release cannot read: another release wrote it, and may rely on it.
 */
export class UnreadableStatus extends Error {
  override readonly name = "UnreadableStatus";
  readonly code = "status-unreadable";
  readonly kind: string;
  readonly stored: Stored;
  /** From `status` on, such as `status.restore.state`. */
  readonly fields: readonly string[];

  constructor(kind: string, stored: Stored<KubeObject>, unreadable: readonly Unreadable[]) {
    super(messageOf(kind, stored, unreadable));
    this.kind = kind;
    this.stored = stored;
    this.fields = unreadable.map(({ field }) => field);
  }
}

export interface Unreadable {
  readonly field: string;
  readonly value: unknown;
}

const MOST_CHARACTERS = 60;

function messageOf(kind: string, { metadata }: Stored, [first, ...others]: readonly Unreadable[]): string {
  const value = first?.value === undefined ? "missing" : cut(JSON.stringify(first.value));
  const more = others.length > 0 ? ` (and ${others.length} more fields)` : "";
  const where = `${first?.field} of ${kind} ${metadata.name} is ${value}${more}`;
  return `${where}: this release cannot read it, so it changes nothing. Upgrade the operator to the release that wrote it`;
}

function cut(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
