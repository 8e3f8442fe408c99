import { humanDuration } from "../crd/human-duration.ts";
import type { KubeObject } from "../kube-object.ts";

/** One column of what kubectl prints. */
export interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean" | "date" | "number";
  readonly format?: string;
  readonly description?: string;
  /** 0: always shown; 1: with -o wide. */
  readonly priority?: number;
  cell(object: KubeObject, now: Date): unknown;
}

type Cell = Column["cell"];

export function column(name: string, cell: Cell, type: Column["type"] = "string"): Column {
  return { name, type, cell };
}

/** Shown with -o wide only. */
export function wide(name: string, cell: Cell, type: Column["type"] = "string"): Column {
  return { name, type, cell, priority: 1 };
}

export const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  cell: ({ metadata }) => metadata.name,
};

export const ageColumn = column("Age", ({ metadata }, now) => ageOf(metadata.creationTimestamp, now));

export const createdAtColumn: Column = {
  name: "Created At",
  type: "date",
  cell: ({ metadata }) => metadata.creationTimestamp,
};

/** How long ago something was, as kubectl writes it. */
export function ageOf(time: unknown, now: Date): string {
  if (typeof time !== "string") return "<unknown>";
  return humanDuration(now.getTime() - Date.parse(time));
}
