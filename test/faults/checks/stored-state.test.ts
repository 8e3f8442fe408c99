import assert from "node:assert/strict";
import { parseVersion } from "@etcd-operator/etcd-client";
import { describe, test } from "vitest";
import { AppliedState } from "../model/etcd/applied-state.ts";
import { snapshotOf } from "../model/etcd/snapshot.ts";
import { storedState } from "./stored-state.ts";

describe("what a store of backups holds", () => {
  const version = parseVersion("3.5.16");
  if (!version) throw new Error("no version");
  const snapshot = snapshotOf(new AppliedState(), version);

  test("is the same whenever the backups were taken", () => {
    const at = (time: string, revision: number) =>
      storedState(
        new Map([
          [`etcd/backup_v${revision}_${time}`, snapshot],
          [`etcd/backup_v${revision}_${time}.metadata.json`, Buffer.from(JSON.stringify({ revision, keys: 1 }))],
        ]),
      );
    const found = at("2030-01-01-00:10:46", 7);
    assert.deepEqual(found, at("2030-01-01-00:15:46", 123));
    assert.ok(found.includes("store/etcd/backup_v…_<time>.metadata.json.keys = 1"), found.join("\n"));
  });

  test("is the same however often something was saved before a restore", () => {
    const saved = (...times: string[]) =>
      storedState(new Map(times.map((time) => [`etcd/backup_safety_12345678_${time}`, snapshot])));
    assert.deepEqual(saved("2030-01-01-00:10:46", "2030-01-01-00:11:02"), saved("2030-01-01-00:10:46"));
    assert.notDeepEqual(saved("2030-01-01-00:10:46"), saved());
  });

  test("differs by an incomplete snapshot, and by what is in it", () => {
    const cut = snapshot.slice(0, -1);
    assert.deepEqual(storedState(new Map([["one", cut]])), ["store/one is not a complete snapshot"]);
    assert.notDeepEqual(storedState(new Map([["one", snapshot]])), storedState(new Map([["one", cut]])));
  });
});
