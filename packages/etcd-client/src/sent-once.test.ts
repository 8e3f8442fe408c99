import {
  type ClientHttp2Session,
  connect,
  constants,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { errorOf } from "@etcd-operator/testing/etcd/error-of.ts";
import { FakeServer } from "@etcd-operator/testing/etcd/fake-grpc-server.ts";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { connectEtcd, type EtcdClient } from "./etcd-client.ts";

describe("a client that retries non-idempotent RPCs (Jepsen, jetcd 0.8.2)", () => {
  let etcd: EtcdProcess;
  let direct: EtcdClient;
  let upstream: ClientHttp2Session;
  const cleanups: (() => unknown)[] = [];

  beforeAll(async () => {
    etcd = await startEtcd({ version: "3.5.16" });
    direct = connectEtcd({ address: new URL(etcd.clientUrl).host });
    upstream = connect(etcd.clientUrl);
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });
  afterAll(async () => {
    direct?.close();
    upstream?.destroy();
    await etcd?.stop();
  });

  const endings: [how: string, end: (stream: ServerHttp2Stream) => void][] = [
    ["the connection breaks", (stream) => stream.session?.destroy()],
    ["the server resets the call", (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR)],
    // What clients with a retry policy take for leave to try again.
    ["the server says that it is unavailable", sayUnavailable],
    ["the server claims to have refused the call", (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM)],
  ];

  test.each(endings)("a put that was applied before %s is not sent again", async (how, end) => {
    const { client, sent } = await throughServerThat(end);
    expect((await errorOf(client.put({ key: how, value: "1" }))).code).toBe("unavailable");
    await errorOf(client.range({ key: how }));
    expect(sent).toEqual(["/etcdserverpb.KV/Put", "/etcdserverpb.KV/Range"]);
    expect((await direct.range({ key: how })).keyValues[0]?.version).toBe(1n);
  });

  test.each(endings)("a MemberAdd that was applied before %s is not sent again", async (how, end) => {
    const { client, sent } = await throughServerThat(end);
    // etcd derives ids from the URL, and takes none back that was removed.
    const peerUrl = `http://${how.replaceAll(" ", "-")}.example:2380`;
    const add = client.addMember({ peerUrls: [peerUrl], asLearner: true });
    expect((await errorOf(add)).code).toBe("unavailable");
    await errorOf(client.members());
    expect(sent).toEqual(["/etcdserverpb.Cluster/MemberAdd", "/etcdserverpb.Cluster/MemberList"]);
    const added = (await direct.members()).filter(({ peerUrls }) => peerUrls.includes(peerUrl));
    expect(added).toHaveLength(1);
    for (const { id } of added) await direct.removeMember(id);
  });

  /** A server in front of etcd that lets every call take effect, keeps the answer to itself, and ends the call. */
  async function throughServerThat(end: (stream: ServerHttp2Stream) => void) {
    const sent: (string | undefined)[] = [];
    const server = new FakeServer((stream, headers) => {
      sent.push(headers[":path"]);
      const effect = upstream.request(forwarded(headers));
      effect.resume().once("end", () => end(stream));
      stream.pipe(effect);
    });
    const client = connectEtcd({ address: await server.listen() });
    cleanups.push(
      () => server.close(),
      () => client.close(),
    );
    return { client, sent };
  }
});

function forwarded(headers: IncomingHttpHeaders) {
  return { ":method": "POST", ":path": headers[":path"], "content-type": headers["content-type"], te: "trailers" };
}

function sayUnavailable(stream: ServerHttp2Stream): void {
  const answer = { ":status": 200, "grpc-status": "14", "grpc-message": "try again" };
  stream.respond(answer, { endStream: true });
}
