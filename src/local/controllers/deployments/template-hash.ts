import { isDeepStrictEqual } from "node:util";
import type { PodTemplateSpec } from "kubernetes-types/core/v1.d.ts";
import { TEMPLATE_HASH } from "./deployment-names.ts";

/** No vowels and nothing that looks like another character, as in other names that Kubernetes makes up. */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

/** What tells the pods of one template from those of another; `collisions` makes it another one for the same template. */
export function templateHash(template: PodTemplateSpec, collisions = 0): string {
  const digits = String(fnv32a(`${JSON.stringify(sorted(template))}${collisions > 0 ? collisions : ""}`));
  return [...digits].map((digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join("");
}

/** Whether two templates make the same pods; the label that a Deployment adds does not count. */
export function isSameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return isDeepStrictEqual(withoutHash(a), withoutHash(b));
}

function withoutHash(template: PodTemplateSpec = {}): PodTemplateSpec {
  const { labels = {}, ...metadata } = template.metadata ?? {};
  const { [TEMPLATE_HASH]: _, ...others } = labels;
  return { ...template, metadata: { ...metadata, labels: others } };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

function fnv32a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
