import type { VolumeSettings } from "../store-settings.ts";

/** Where a worker is, and how it and we know each other. */
export type WorkerEndpoint = Pick<VolumeSettings, "address" | "token" | "certificate">;
