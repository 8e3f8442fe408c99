import { badRequest } from "../api-error.ts";
import { goJsonError } from "../http/go-json.ts";
import { isObject } from "../kube-object.ts";

/** Where the next page of a list begins, and at which revision all pages are read. */
export interface ContinueToken {
  /** 0n: whatever is newest, after the one of the first page was forgotten. */
  readonly revision: bigint;
  /** The last key of the page before, without the prefix that the list is of. */
  readonly after: string;
}

export function encodeContinue({ revision, after }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: "local", rv: Number(revision), after })).toString("base64url");
}

export function decodeContinue(token: string): ContinueToken {
  const bytes = Buffer.from(token, "base64url");
  const broken = goJsonError(bytes.toString("latin1"));
  if (broken !== undefined) throw badRequest(`invalid continue token: continue key is not valid: ${broken}`);
  const value = parsed(bytes.toString("utf8"));
  if (!isObject(value) || typeof value.rv !== "number" || typeof value.after !== "string") {
    throw badRequest("invalid continue token: continue key is not valid: it was not made by this server");
  }
  return { revision: BigInt(value.rv), after: value.after };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
