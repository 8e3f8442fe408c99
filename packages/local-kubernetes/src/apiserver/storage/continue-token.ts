import { badRequest } from "../api-error.ts";
import { parseJson } from "../http/parse-json.ts";
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
  const value = parseJson(Buffer.from(token, "base64url").toString("utf8"), invalid);
  if (!isObject(value) || typeof value.rv !== "number" || typeof value.after !== "string") {
    throw invalid("it was not made by this server");
  }
  return { revision: BigInt(value.rv), after: value.after };
}

function invalid(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}
