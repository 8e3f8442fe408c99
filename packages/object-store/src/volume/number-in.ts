import { WorkerError } from "./worker-error.ts";

/** A whole number of a query; undefined when it is not there. */
export function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new WorkerError("invalid", `${name} is '${text}', and no number`);
}
