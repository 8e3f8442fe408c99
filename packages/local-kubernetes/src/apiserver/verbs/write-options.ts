import { invalid } from "../api-error.ts";
import { notSupported } from "../crd/cause.ts";
import type { User } from "../http/exchange.ts";

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
  return {
    isDryRun: isDryRun(query.getAll("dryRun"), kind),
    fieldValidation,
    warn,
  };
}

export function isDryRun(values: readonly unknown[], kind: OptionsKind): boolean {
  if (values.some((value) => value !== "All")) {
    throw invalid({ group: "meta.k8s.io", kind }, "", [notSupported("dryRun", values, ["All"])]);
  }
  return values.length > 0;
}
