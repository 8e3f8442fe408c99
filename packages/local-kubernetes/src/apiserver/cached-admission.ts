import type { Admission } from "./kinds/admission.ts";
import type { Registry } from "./kinds/registry.ts";
import { keyOf } from "./storage/entry.ts";
import type { ObjectStore } from "./storage/object-store.ts";
import type { WatchCaches } from "./storage/watch-caches.ts";

interface AdmissionNeeds {
  readonly registry: Registry;
  readonly store: ObjectStore;
  readonly caches: WatchCaches;
  readonly serviceCidr: string;
}

/** Answers from the caches; what they do not know may be too new for them, and is looked up. */
export function cachedAdmission({ registry, store, caches, serviceCidr }: AdmissionNeeds): Admission {
  return {
    serviceCidr,
    random: Math.random,
    suffix: () => randomSuffix(Math.random),
    now: () => new Date(),
    async find(group, plural, name, namespace) {
      const resource = registry.findAny(group, plural);
      if (!resource) return undefined;
      const key = keyOf(resource.prefix, namespace, name);
      const cache = caches.of(resource.prefix);
      await cache.ready();
      const entry = cache.get(key) ?? (await store.get(key));
      return entry && resource.codec.read(entry);
    },
    async list(group, plural) {
      const resource = registry.findAny(group, plural);
      if (!resource) return [];
      const cache = caches.of(resource.prefix);
      await cache.ready();
      return cache.under(resource.prefix).map((entry) => resource.codec.read(entry));
    },
  };
}

// No vowels, so that no words come out.
const LETTERS = "bcdfghjklmnpqrstvwxz2456789";

/** Five letters and digits that make a name of its own. */
function randomSuffix(random: () => number): string {
  return Array.from({ length: 5 }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join("");
}
