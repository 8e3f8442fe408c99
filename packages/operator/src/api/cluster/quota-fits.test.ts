import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { EtcdClusterSpec } from "../etcd-cluster.ts";
import { quotaBeyondVolume } from "./quota-fits.ts";

const specOf = (storage: string | undefined, more: object = {}) => {
  const claim = storage && { persistentVolumeClaimSpec: { resources: { requests: { storage } } } };
  return {
    size: 3,
    pod: { ...claim, ...("etcdEnv" in more ? more : {}) },
    ...("etcdEnv" in more ? {} : more),
  } as unknown as EtcdClusterSpec;
};

describe("a quota and the volume that the database lies on", () => {
  test.each([
    ["no volume", specOf(undefined)],
    ["etcd's own quota on 4 GiB", specOf("4Gi")],
    ["a quota that fits", specOf("1Gi", { etcd: { quotaBackendBytes: 700 * 2 ** 20 } })],
  ])("agree: %s", (_, spec) => assert.equal(quotaBeyondVolume(spec), undefined));

  test.each([
    ["etcd's own quota on 1 GiB", specOf("1Gi"), /quota of 2 GiB does not fit into a volume of 1Gi/],
    ["one of its own", specOf("2Gi", { etcd: { quotaBackendBytes: 8 * 2 ** 30 } }), /quota of 8 GiB/],
    [
      "one of a variable",
      specOf("2Gi", { etcdEnv: [{ name: "ETCD_QUOTA_BACKEND_BYTES", value: "4294967296" }] }),
      /quota of 4 GiB/,
    ],
    ["none at all", specOf("2Gi", { etcd: { quotaBackendBytes: -1 } }), /an unlimited database does not fit/],
  ])("do not: %s", (_, spec, says) => assert.match(quotaBeyondVolume(spec) ?? "", says));
});
