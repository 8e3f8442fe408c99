import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { connectEtcd } from "@etcd-operator/etcd-client";
import type { StoreSettings } from "@etcd-operator/object-store";
import { openStore } from "@etcd-operator/object-store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { guardedLookup, type Resolve } from "./guarded-lookup.ts";
import { addressRule } from "./trust.ts";

let port: number;
let connections = 0;
const server = createServer((socket) => {
  connections += 1;
  socket.on("error", () => undefined).destroy();
});
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

/** As of a name server of the attacker's, which led somewhere else a moment ago. */
const rebound: Resolve = (_name, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]);
const lookup = (allowsLoopback: boolean) => guardedLookup(addressRule({ allowsLoopback }), rebound);
const accountKey = Buffer.from("key").toString("base64");
const profile = { credentials: "[default]\naws_access_key_id = a\naws_secret_access_key = b\n" };

const stores: readonly [string, (url: string) => StoreSettings][] = [
  ["S3", (endpoint) => ({ kind: "s3", bucket: "b", endpoint, forcePathStyle: true, profile })],
  ["OSS", (endpoint) => ({ kind: "oss", bucket: "b", endpoint, accessKeyId: "a", accessKeySecret: "b" })],
  ["Azure", (cloud) => ({ kind: "abs", container: "b", account: "mine", accountKey, cloud })],
];
const dials: [string, (allowed: boolean) => Promise<unknown>][] = [
  ...stores.flatMap(([name, settings]) =>
    ["http", "https"].map((scheme): [string, (allowed: boolean) => Promise<unknown>] => [
      `${name} over ${scheme}`,
      async (allowed) => {
        const opened = await openStore(
          { ...settings(`${scheme}://rebound.example:${port}`), lookup: lookup(allowed) } as StoreSettings,
          { attempts: 1, idleTimeoutMs: 2_000 },
        );
        return await opened.stat("key").finally(() => opened.close());
      },
    ]),
  ),
  ...[undefined, { ca: [] as unknown as string }].map((tls): [string, (allowed: boolean) => Promise<unknown>] => [
    `etcd ${tls ? "with" : "without"} TLS`,
    async (allowed) => {
      const client = connectEtcd({
        address: `rebound.example:${port}`,
        lookup: lookup(allowed),
        ...(tls && { tls: { ca: "" } }),
      });
      return await client.status({ timeoutMs: 2_000 }).finally(() => client.close());
    },
  ]),
  [
    "etcd, for its version",
    async (allowed) => {
      const client = connectEtcd({ address: `rebound.example:${port}`, lookup: lookup(allowed) });
      return await client.clusterVersion({ timeoutMs: 2_000 }).finally(() => client.close());
    },
  ],
];

describe("a name that leads to this machine when the connection is made", () => {
  test.each(dials)("is not dialled: %s", async (_, dial) => {
    connections = 0;
    await expect(dial(false)).rejects.toThrow();
    expect(connections).toBe(0);
  });

  test.each(dials)("is dialled where that is allowed: %s", async (_, dial) => {
    connections = 0;
    await expect(dial(true)).rejects.toThrow();
    expect(connections).toBeGreaterThan(0);
  });
});
