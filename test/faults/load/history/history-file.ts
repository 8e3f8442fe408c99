import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Epoch, Operation, RunHistory, WatchPiece } from "./operation.ts";

type Line = { readonly epoch: Epoch } | { readonly operation: Operation } | { readonly watch: WatchPiece };

/** Keeps a history, a line each, so that it can be read by people and judged again. */
export async function keepHistory(file: string, { epochs, operations, watches }: RunHistory): Promise<void> {
  const lines: readonly Line[] = [
    ...epochs.map((epoch) => ({ epoch })),
    ...operations.map((operation) => ({ operation })),
    ...watches.map((watch) => ({ watch })),
  ];
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, lines.map((line) => `${JSON.stringify(line, withBigints)}\n`).join(""));
}

export async function keptHistory(file: string): Promise<RunHistory> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  const parsed = lines.map((line) => JSON.parse(line, asBigints) as Line);
  return {
    epochs: parsed.flatMap((line) => ("epoch" in line ? [line.epoch] : [])),
    operations: parsed.flatMap((line) => ("operation" in line ? [line.operation] : [])),
    watches: parsed.flatMap((line) => ("watch" in line ? [line.watch] : [])),
  };
}

function withBigints(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}

function asBigints(_: string, value: unknown): unknown {
  return typeof value === "string" && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value;
}
