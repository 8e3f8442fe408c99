import { parseVersion, type Version } from "@etcd-operator/etcd-client";

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

// As the kubelet reads names; what comes before the first slash may be a host, which has capitals if it likes.
const NAME =
  /^(?:[A-Za-z0-9.-]+(?::[0-9]+)?\/)?[a-z0-9._-]+(?:\/[a-z0-9._-]+)*(?::[\w.-]{1,128})?(?:@sha256:[0-9a-f]{64})?$/;

/** Whether an image can be called so at all. */
export function isImageName(image: string): boolean {
  return NAME.test(image);
}

/** The etcd in an image; undefined where there is none. */
export function etcdIn(image: string): Version | undefined {
  const [named = ""] = image.split("@");
  return parseVersion(named.slice(named.lastIndexOf(":") + 1));
}
