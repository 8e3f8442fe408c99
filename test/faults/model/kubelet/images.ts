import { parseVersion, type Version } from "../../../../src/etcd/version.ts";

/** Which images can be had, and what is in them. */
export class Images {
  readonly #missing = new Set<string>();

  /** From now on an image whose name contains this cannot be pulled; or it can again. */
  setMissing(part: string, isMissing: boolean): void {
    if (isMissing) this.#missing.add(part);
    else this.#missing.delete(part);
  }

  isThere(image: string): boolean {
    return image !== "" && ![...this.#missing].some((part) => image.includes(part));
  }
}

/** The etcd in an image; undefined where there is none. */
export function etcdIn(image: string): Version | undefined {
  return parseVersion(image.slice(image.lastIndexOf(":") + 1));
}
