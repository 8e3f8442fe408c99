import { invalid } from "../api-error.ts";
import { invalid as invalidValue, notSupported, tooLong } from "../crd/cause.ts";
import type { User } from "../http/exchange.ts";
import { isPrintable } from "../managed-fields/manager-name.ts";

export interface WriteOptions {
  readonly isDryRun: boolean;
  readonly fieldValidation: "Strict" | "Warn" | "Ignore";
  /** Of the body that is being read. */
  duplicateFields?(): readonly string[];
  /** The body as it was sent, for messages. */
  bodyText?(): string;
  /** What a patch led to, when one was sent. */
  patchText?(): string;
  /** What is odd about a patch before it is applied to anything. */
  patchComplaints?(): readonly string[];
  /** Who writes; absent for the server itself, which may do everything. */
  readonly user?: User;
  /** Who is to manage the fields that change; the server itself where nobody is named. */
  readonly fieldManager?: string;
  /** Whether what is applied takes fields from others. */
  readonly isForced?: boolean;
  /** Whether the object is written through its scale. */
  readonly scalesOnly?: boolean;
  /** Whether the object comes with managedFields that were found out already. */
  readonly isTracked?: boolean;
  /** Told to the client in a header. */
  warn(text: string): void;
}

export type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "DeleteOptions";

export function writeOptions(query: URLSearchParams, kind: OptionsKind, warn: WriteOptions["warn"]): WriteOptions {
  const fieldValidation = query.get("fieldValidation") || "Warn";
  if (fieldValidation !== "Strict" && fieldValidation !== "Warn" && fieldValidation !== "Ignore") {
    const cause = notSupported("fieldValidation", fieldValidation, ["", "Ignore", "Strict", "Warn"]);
    throw invalid({ group: "meta.k8s.io", kind }, "", [cause]);
  }
  checkManager(query.get("fieldManager") ?? "", kind);
  const force = query.get("force");
  return {
    isDryRun: isDryRun(query.getAll("dryRun"), kind),
    fieldValidation,
    // Any other text is a yes.
    ...(force !== null && { isForced: force !== "false" && force !== "0" }),
    warn,
  };
}

const MAX_MANAGER_BYTES = 128;

function checkManager(name: string, kind: OptionsKind): void {
  if (Buffer.byteLength(name) > MAX_MANAGER_BYTES) {
    throw invalid({ group: "meta.k8s.io", kind }, "", [tooLong("fieldManager", MAX_MANAGER_BYTES)]);
  }
  const characters = [...name];
  const odd = characters.findIndex((character) => !isPrintable(character));
  if (odd < 0) return;
  const code = (characters[odd]?.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  const why = `invalid character U+${code} (at position ${odd})`;
  throw invalid({ group: "meta.k8s.io", kind }, "", [invalidValue("fieldManager", name, why)]);
}

export function isDryRun(values: readonly unknown[], kind: OptionsKind): boolean {
  if (values.some((value) => value !== "All")) {
    throw invalid({ group: "meta.k8s.io", kind }, "", [notSupported("dryRun", values, ["All"])]);
  }
  return values.length > 0;
}
