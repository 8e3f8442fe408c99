import type { Access } from "../lone-api-server.ts";
import type { Asked } from "./member-server.ts";

/** What the simulating process is told; it answers each of them with a word. */
export type Order =
  | { readonly do: "begin"; readonly access: Access; readonly isTls: boolean }
  /** Forget what was asked so far. */
  | { readonly do: "mark" }
  /** These members take connections and questions, and answer none. */
  | { readonly do: "silence"; readonly addresses: readonly string[] }
  | { readonly do: "report" };

export interface Report extends Asked {
  /** Members that run. */
  readonly members: number;
}

export type Word =
  | { readonly kind: "done"; readonly report: Report }
  | { readonly kind: "failed"; readonly why: string };
