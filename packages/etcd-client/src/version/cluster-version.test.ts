import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { errorOf } from "@etcd-operator/testing/etcd/error-of.ts";
import { afterEach, describe, expect, test } from "vitest";
import { clusterVersions } from "./cluster-version.ts";

// What real members answer is in old-and-new-versions.test.ts, and over TLS in tls.test.ts.
const servers: { close(): unknown; closeAllConnections(): void }[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function at(answer: RequestListener) {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return clusterVersions({ address: `127.0.0.1:${(server.address() as AddressInfo).port}` });
}

describe("the version of a cluster", () => {
  test("is read from what the member tells of itself", async () => {
    const member = await at((request, response) => {
      response.end(request.url === "/version" ? '{"etcdserver":"3.6.16","etcdcluster":"3.5.0"}' : "");
    });
    expect(await member.clusterVersion()).toBe("3.5.0");
  });

  test("is not_decided until the cluster has decided on one", async () => {
    const member = await at((_, response) => response.end('{"etcdserver":"3.5.16","etcdcluster":"not_decided"}'));
    expect(await member.clusterVersion()).toBe("not_decided");
  });

  test("is not made up from an answer that does not have it", async () => {
    const member = await at((_, response) => response.writeHead(404).end("404 page not found"));
    expect((await errorOf(member.clusterVersion())).code).toBe("unsupported");
  });

  test("is waited for as long as the caller says, and no longer", async () => {
    const member = await at(() => {});
    const error = await errorOf(member.clusterVersion({ timeoutMs: 20 }));
    expect([error.code, error.message]).toEqual(["deadline", expect.stringContaining("no answer within 20 ms")]);
    const given = new AbortController();
    const asked = errorOf(member.clusterVersion({ signal: given.signal }));
    given.abort();
    expect((await asked).code).toBe("canceled");
  });

  test("cannot be had from a member that is not there", async () => {
    const unreachable = clusterVersions({ address: "127.0.0.1:1" });
    expect((await errorOf(unreachable.clusterVersion())).code).toBe("unavailable");
    const noIpv6Either = clusterVersions({ address: "[::1]:1" });
    expect((await errorOf(noIpv6Either.clusterVersion())).code).toBe("unavailable");
  });
});
