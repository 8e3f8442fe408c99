import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkerIdentity } from "@etcd-operator/object-store";
import { TRANSFER_FILES } from "../transfer-files.ts";

/** What the Secret of the pod holds, as files. */
export function readIdentity(folder: string): WorkerIdentity {
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  return { cert: read(TRANSFER_FILES.cert), key: read(TRANSFER_FILES.key), token: read(TRANSFER_FILES.token).trim() };
}
