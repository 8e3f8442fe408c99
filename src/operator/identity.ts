import { randomBytes } from "node:crypto";
import { hostname } from "node:os";

/** Who we are in a Lease: the pod, and something that tells this process from the one that ran in the pod before. */
export function processIdentity(env: NodeJS.ProcessEnv = process.env): string {
  return `${env.MY_POD_NAME || hostname()}_${randomBytes(5).toString("hex")}`;
}
