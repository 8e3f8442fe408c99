import { BinariesError } from "../binaries/binaries-error.ts";
import { type EtcdBinaries, etcdBinaries } from "../binaries/etcd-binaries.ts";
import type { PullOptions } from "./find-image.ts";
import { type Image, plainImage } from "./image.ts";
import { ImageError } from "./image-error.ts";
import type { ImageReference } from "./image-reference.ts";

/** Gets etcd's binaries, which takes a while for a version that this machine has never seen. */
export async function etcdImage({ tag }: ImageReference, { signal, tell }: PullOptions): Promise<Image> {
  try {
    // A build for one machine, as registries have it; this machine runs its own.
    return imageOf(await etcdBinaries(tag.replace(/-(amd64|arm64)$/, ""), { signal, ...(tell && { log: tell }) }));
  } catch (error) {
    if (!(error instanceof BinariesError)) throw error;
    throw new ImageError(error.code === "aborted" ? "aborted" : "unobtainable", error.message, { cause: error });
  }
}

function imageOf({ version, etcd, etcdctl, etcdutl }: EtcdBinaries): Image {
  return {
    ...plainImage,
    id: `local://etcd@${version}`,
    entrypoint: ["/usr/local/bin/etcd"],
    binds: [
      { source: etcd, target: "/usr/local/bin/etcd" },
      { source: etcdctl, target: "/usr/local/bin/etcdctl" },
      ...(etcdutl ? [{ source: etcdutl, target: "/usr/local/bin/etcdutl" }] : []),
    ],
  };
}
