import type { Draw } from "./draw.ts";
import { type Kind, nameOf, pathOf } from "./kind.ts";

/** What a story tells about: an object of a kind, and the draws to take. */
export interface Scene {
  readonly draw: Draw;
  readonly kind: Kind;
}

/** The path of one object of the scene. */
export function objectPath({ kind }: Scene, name: string, subresource?: string): string {
  return pathOf(kind, nameOf(kind, name), subresource);
}
