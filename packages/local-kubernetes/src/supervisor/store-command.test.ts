import assert from "node:assert/strict";
import { test } from "vitest";
import { bytesTooLong, storeCommand, storeEndpoint } from "./store-command.ts";

test("the store listens on sockets in the folder of the state, and on no port", () => {
  const { args } = storeCommand({ etcd: "/bin/etcd", stateDir: "/state" });
  const listening = args.filter((arg) => arg.startsWith("--listen-"));
  assert.deepEqual(listening, [
    "--listen-client-urls=unix:///state/store.sock",
    "--listen-peer-urls=unix:///state/store-peer.sock",
  ]);
  assert.equal(storeEndpoint("/state"), "unix:/state/store.sock");
});

test("a folder is refused by as many bytes as its sockets' paths are too long for the kernel", () => {
  const folderOf = (bytes: number) => `/${"x".repeat(bytes - 1)}`;
  const longest = 107 - "/store-peer.sock".length;
  assert.equal(bytesTooLong(folderOf(longest)), 0);
  assert.equal(bytesTooLong(folderOf(longest + 3)), 3);
  assert.equal(bytesTooLong(`/${"ü".repeat(50)}`), 101 - longest);
});
