import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { etcdCacheRoot } from "./cache-root.ts";

const underHome = join(homedir(), ".cache", "etcd-operator", "etcd");

test.each([
  ["follows XDG_CACHE_HOME", "/var/cache/me", "/var/cache/me/etcd-operator/etcd"],
  ["uses ~/.cache where XDG_CACHE_HOME is empty", "", underHome],
  ["uses ~/.cache where XDG_CACHE_HOME is relative, as the specification asks", "caches", underHome],
])("%s", (_, XDG_CACHE_HOME, root) => {
  expect(etcdCacheRoot({ XDG_CACHE_HOME })).toBe(root);
});
