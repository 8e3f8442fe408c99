import { isDeepStrictEqual } from "node:util";
import { masked } from "./mask.ts";
import type { Request } from "./request.ts";
import type { Said } from "./session.ts";

/** One place in which two answers differ. */
export interface Difference {
  /** Such as "code", "warnings" or "body.spec.replicas". */
  readonly at: string;
  readonly real: unknown;
  readonly local: unknown;
}

/** One request, and what both servers said to it. */
export interface Compared {
  readonly request: Request;
  readonly real: Said;
  readonly local: Said;
  readonly differences: readonly Difference[];
}

interface Answers {
  readonly real: Said;
  readonly local: Said;
  /** By server: their namespaces have names of their own. */
  readonly namespaces: { readonly real: string; readonly local: string };
}

/** Where the masked answers differ; bodies are looked through only where the codes agree. */
export function compared(request: Request, { real, local, namespaces }: Answers): Compared {
  const one = masked(real, namespaces.real) as Said;
  const other = masked(local, namespaces.local) as Said;
  const differences: Difference[] =
    one.code === other.code
      ? [...differencesIn("contentType", one, other), ...warningsIn(one, other), ...walk("body", one.body, other.body)]
      : [{ at: "code", real: [one.code, messageOf(one)], local: [other.code, messageOf(other)] }];
  return { request, real, local, differences };
}

function messageOf({ body }: Said): unknown {
  const { message, reason } = (body ?? {}) as { message?: unknown; reason?: unknown };
  return message === undefined ? undefined : `${String(reason)}: ${String(message)}`;
}

function differencesIn(field: "contentType", one: Said, other: Said): Difference[] {
  return one[field] === other[field] ? [] : [{ at: field, real: one[field], local: other[field] }];
}

function warningsIn(one: Said, other: Said): Difference[] {
  const [real, local] = [[...one.warnings].sort(), [...other.warnings].sort()];
  return isDeepStrictEqual(real, local) ? [] : [{ at: "warnings", real, local }];
}

function walk(at: string, real: unknown, local: unknown): Difference[] {
  if (isDeepStrictEqual(real, local)) return [];
  if (Array.isArray(real) && Array.isArray(local) && real.length === local.length) {
    return real.flatMap((item, index) => walk(`${at}[${index}]`, item, local[index]));
  }
  if (isPlain(real) && isPlain(local)) {
    const keys = [...new Set([...Object.keys(real), ...Object.keys(local)])];
    return keys.flatMap((key) => walk(`${at}.${key}`, real[key], local[key]));
  }
  return [{ at, real, local }];
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
