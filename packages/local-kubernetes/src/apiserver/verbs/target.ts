import type { Resource } from "../kinds/resource.ts";
import { keyOf } from "../storage/entry.ts";

/** One object, whether it exists or not. */
export interface Target {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource?: string;
}

export function keyOfTarget({ resource, namespace, name }: Target): string {
  return keyOf(resource.prefix, namespace, name);
}
