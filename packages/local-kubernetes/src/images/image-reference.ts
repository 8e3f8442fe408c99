/** The parts of an image's name, as the container runtimes read it. */
export interface ImageReference {
  /** Registry and path, such as "quay.io/coreos/etcd". */
  readonly repository: string;
  /** The last part of the repository, such as "etcd". */
  readonly name: string;
  readonly tag: string;
}

export function parseImageReference(written: string): ImageReference {
  const [named = ""] = written.trim().split("@");
  // A colon before the last slash belongs to the registry's port.
  const colon = named.indexOf(":", named.lastIndexOf("/") + 1);
  const repository = colon < 0 ? named : named.slice(0, colon);
  const tag = colon < 0 ? "latest" : named.slice(colon + 1);
  return { repository, name: repository.slice(repository.lastIndexOf("/") + 1), tag };
}
