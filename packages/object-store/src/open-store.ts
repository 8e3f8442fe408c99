import type { ObjectStore } from "./object-store.ts";
import type { StoreSettings, StoreTuning } from "./store-settings.ts";

/**
 * Opens the store; nothing is asked of it yet. The SDK of its kind is loaded here, so that a process only has those
 * that it uses.
 */
export async function openStore(settings: StoreSettings, tuning: StoreTuning = {}): Promise<ObjectStore> {
  switch (settings.kind) {
    case "s3":
      return (await import("./s3/s3-store.ts")).s3Store(settings, tuning);
    case "oss":
      return (await import("./oss/oss-store.ts")).ossStore(settings, tuning);
    case "abs":
      return (await import("./abs/abs-store.ts")).absStore(settings, tuning);
    case "gcs":
      return (await import("./gcs/gcs-store.ts")).gcsStore(settings, tuning);
    case "volume":
      return (await import("./volume/volume-store.ts")).volumeStore(settings, tuning);
  }
}
