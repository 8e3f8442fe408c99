import type { Resource } from "./resource.ts";

/** The resources that are served right now: the built-in ones, and those of the CustomResourceDefinitions. */
export class Registry {
  readonly #builtin: ReadonlyMap<string, Resource>;
  #custom: ReadonlyMap<string, Resource> = new Map();

  constructor(builtin: readonly Resource[]) {
    this.#builtin = byPath(builtin);
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    const path = `${group}/${version}/${plural}`;
    return this.#builtin.get(path) ?? this.#custom.get(path);
  }

  /** In any version. */
  findAny(group: string, plural: string): Resource | undefined {
    return this.all().find((resource) => resource.group === group && resource.plural === plural);
  }

  all(): Resource[] {
    return [...this.#builtin.values(), ...this.#custom.values()];
  }

  hasGroup(group: string): boolean {
    return this.all().some((resource) => resource.group === group);
  }

  /** Whether the group has custom kinds and no others. */
  isCustomGroup(group: string): boolean {
    const has = (kinds: ReadonlyMap<string, Resource>) => [...kinds.values()].some((each) => each.group === group);
    return has(this.#custom) && !has(this.#builtin);
  }

  /** Where the objects of the custom kinds lie. */
  customPrefixes(): Set<string> {
    return new Set([...this.#custom.values()].map(({ prefix }) => prefix));
  }

  replaceCustom(resources: readonly Resource[]): void {
    this.#custom = byPath(resources);
  }
}

function byPath(resources: readonly Resource[]): Map<string, Resource> {
  return new Map(resources.map((resource) => [`${resource.group}/${resource.version}/${resource.plural}`, resource]));
}
