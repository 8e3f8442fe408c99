import type { Answer, ConformanceTarget } from "../conformance/target.ts";
import { type Body, filledIn, type Json, type Request } from "./request.ts";

/** What a server said: an answer, or the events of a watch. */
export interface Said {
  readonly code: number;
  readonly contentType: string;
  readonly warnings: readonly string[];
  readonly body: unknown;
}

/** The code of what is no answer: the server ended the connection. */
export const NO_ANSWER = 0;

/** One story as one server lives through it: what it has given out so far goes into the next requests. */
export class Session {
  readonly #target: Pick<ConformanceTarget, "rest">;
  readonly #known: Map<string, string>;

  constructor(target: Pick<ConformanceTarget, "rest">, namespace: string) {
    this.#target = target;
    this.#known = new Map([["ns", namespace]]);
  }

  async send(request: Request): Promise<Said> {
    const { method, path, contentType, headers } = filledIn({ ...request, body: undefined }, this.#known);
    const body = request.body && (await this.#bodyOf(request.body));
    const options = { ...(contentType !== undefined && { contentType }), ...(headers && { headers }) };
    const answer = await this.#target.rest<unknown>(method, encoded(path), body, options).catch(brokenOff);
    if (!answer) return { code: NO_ANSWER, contentType: "", warnings: [], body: undefined };
    this.#note(path, answer.body);
    return said(answer, request.isWatch ?? false);
  }

  async #bodyOf(body: Body): Promise<unknown> {
    switch (body.kind) {
      case "text":
        return filledIn(body.text, this.#known);
      case "json":
        // As text: a body that is itself a text is JSON too.
        return JSON.stringify(filledIn(body.value, this.#known));
      case "edited": {
        const { code, body: found } = await this.#target.rest("GET", encoded(filledIn(body.at, this.#known)));
        const base = code === 200 ? found : filledIn(body.otherwise ?? {}, this.#known);
        return JSON.stringify(merged(base, filledIn(body.edits, this.#known)));
      }
    }
  }

  #note(path: string, body: unknown): void {
    const metadata = (body as { metadata?: Record<string, unknown> } | undefined)?.metadata;
    if (typeof metadata?.resourceVersion !== "string") return;
    const isList = "items" in (body as object) || "rows" in (body as object);
    if (!this.#known.has("start")) this.#known.set("start", metadata.resourceVersion);
    if (isList) this.#known.set("continue", encodeURIComponent(String(metadata.continue ?? "")));
    else if (!path.includes("dryRun")) {
      this.#known.set("rv", metadata.resourceVersion);
      this.#known.set("uid", String(metadata.uid));
    }
  }
}

function brokenOff(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== "ECONNRESET") throw error;
}

function encoded(path: string): string {
  return encodeURI(path).replaceAll("%25", "%");
}

function said({ code, headers, body, text }: Answer<unknown>, isWatch: boolean): Said {
  const warning = headers.warning;
  const warnings = (Array.isArray(warning) ? warning : warning ? [warning] : []).flatMap((line) =>
    line.split(/, (?=299 )/),
  );
  const content = isWatch && code === 200 ? eventsIn(text) : (body ?? text);
  return { code, contentType: headers["content-type"] ?? "", warnings, body: content };
}

function eventsIn(text: string): unknown[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
}

/** A merge patch, as clients make their changes. */
function merged(value: unknown, edits: unknown): unknown {
  if (typeof edits !== "object" || edits === null || Array.isArray(edits)) return edits;
  const result: Json = typeof value === "object" && !Array.isArray(value) ? { ...value } : {};
  for (const [key, item] of Object.entries(edits)) {
    if (item === null) delete result[key];
    else result[key] = merged(result[key], item);
  }
  return result;
}
