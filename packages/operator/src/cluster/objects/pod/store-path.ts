import type { EtcdBackup } from "../../../api/etcd-backup.ts";

type Stores = Pick<EtcdBackup["spec"], "s3" | "abs" | "gcs" | "oss" | "volume">;

/** The block of a store that is filled in, with another path. */
export function storeWithPath({ s3, abs, gcs, oss, volume }: Stores, pathOf: (path: string) => string): Stores {
  const moved = <Store extends { readonly path: string }>(store: Store): Store => ({
    ...store,
    path: pathOf(store.path),
  });
  return {
    ...(s3 && { s3: moved(s3) }),
    ...(abs && { abs: moved(abs) }),
    ...(gcs && { gcs: moved(gcs) }),
    ...(oss && { oss: moved(oss) }),
    ...(volume && { volume: moved(volume) }),
  };
}
