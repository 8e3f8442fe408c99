import { invalid } from "../api-error.ts";
import { notSupported } from "../crd/cause.ts";

export interface WriteOptions {
  readonly isDryRun: boolean;
  readonly fieldValidation: "Strict" | "Warn" | "Ignore";
  /** Of the body that is being read. */
  duplicateFields?(): readonly string[];
  /** The patch, when that is what was sent. */
  readonly patchText?: string;
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
  return { isDryRun: isDryRun(query.getAll("dryRun"), kind), fieldValidation, warn };
}

export function isDryRun(values: readonly unknown[], kind: OptionsKind): boolean {
  if (values.some((value) => value !== "All")) {
    throw invalid({ group: "meta.k8s.io", kind }, "", [notSupported("dryRun", values, ["All"])]);
  }
  return values.length > 0;
}
