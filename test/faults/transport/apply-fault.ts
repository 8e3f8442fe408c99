import type { Fault } from "./fault.ts";
import type { Life } from "./life.ts";

/** How a transport fails in its own words. */
export interface Words<Answer> {
  /** Sends the write; may be called twice. */
  send(): Promise<Answer>;
  /** A refusal with which nothing was done; it may be one after which the client at hand asks again by itself. */
  refuse(fault: "conflict" | "too-many" | "error"): Promise<Answer>;
  /** No answer, until the caller's timeout. */
  silence(): Promise<never>;
}

/** Does to a write what the plan says. */
export async function applyFault<Answer>(fault: Fault, words: Words<Answer>, life: Life): Promise<Answer> {
  switch (fault) {
    case "crash-before":
      life.crash();
      return words.silence();
    case "crash-after":
      await words.send().catch(() => undefined);
      life.crash();
      return words.silence();
    case "conflict":
    case "too-many":
    case "error":
      return words.refuse(fault);
    case "lost-answer":
      await words.send().catch(() => undefined);
      return words.silence();
    case "lost-request":
      return words.silence();
    case "twice":
      await words.send().catch(() => undefined);
      return words.send();
  }
}
