import { spawn } from "node:child_process";
import { once } from "node:events";
import { DONE } from "@etcd-operator/local-kubernetes/binaries/file-lock.ts";
import { linkRemoval } from "@etcd-operator/local-kubernetes/network/bridge.ts";

/**
 * Ensures that no link of an instance outlives this process, however that ends; call before the first link is made,
 * and what it returns when all are gone.
 */
export function guardLinks(instance: string): () => Promise<void> {
  const script = 'said=$(cat); exec "$@" "$said"';
  const guard = spawn("sh", ["-c", script, "sh", ...linkRemoval(instance)], {
    stdio: ["pipe", "ignore", "ignore"],
    // Killing the group of this process must not kill the one that cleans up after it.
    detached: true,
  });
  const ended = once(guard, "close");
  guard.unref();
  return async () => {
    guard.stdin?.end(DONE);
    await ended;
  };
}
