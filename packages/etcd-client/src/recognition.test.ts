import type { ServerHttp2Stream } from "node:http2";
import { create, type DescMethodUnary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { errorOf } from "@etcd-operator/testing/etcd/error-of.ts";
import { FakeServer } from "@etcd-operator/testing/etcd/fake-grpc-server.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { connectEtcd, type EtcdClient } from "./etcd-client.ts";
import { frame } from "./grpc/frame.ts";
import { pathOf } from "./message-stream.ts";
import { Cluster } from "./protocol/generated/cluster_pb.ts";
import { KV } from "./protocol/generated/kv_pb.ts";
import { Maintenance } from "./protocol/generated/maintenance_pb.ts";

const OURS = 7n;
const header = { clusterId: OURS, memberId: 1n };
const { status, alarm } = Maintenance.method;
const answers = new Map([
  saying(status, { header }),
  saying(alarm, { header }),
  saying(KV.method.range, { header }),
  saying(KV.method.put, { header }),
  saying(Cluster.method.memberList, { header }),
]);

describe("a member that is to belong to a certain cluster", () => {
  let asked: string[];
  let server: FakeServer;
  let client: EtcdClient;

  beforeEach(async () => {
    asked = [];
    server = new FakeServer((stream, { ":path": path = "" }) => {
      asked.push(path.split("/").at(-1) ?? "");
      say(stream, answers.get(path));
    });
    client = connectEtcd({ address: await server.listen() });
  });
  afterEach(async () => {
    client.close();
    await server.close();
  });

  test("tells it with its answer to a question: nothing else is asked first", async () => {
    await client.range({ key: "k" }, { expectClusterId: OURS });
    await client.members({ expectClusterId: OURS });
    await client.status({ expectClusterId: OURS });
    expect(asked).toEqual(["Range", "MemberList", "Status"]);
  });

  test("is asked before the first change, unless it has answered something over the same connection", async () => {
    await client.put({ key: "k", value: "v" }, { expectClusterId: OURS });
    expect(asked.splice(0)).toEqual(["Status", "Put"]);
    const another = connectEtcd({ address: client.endpoint });
    await another.range({ key: "k" });
    await another.put({ key: "k", value: "v" }, { expectClusterId: OURS });
    another.close();
    expect(asked).toEqual(["Range", "Put"]);
  });

  test("is asked before its alarms are, which costs it an entry in its log", async () => {
    await client.alarms({ expectClusterId: OURS });
    expect(asked).toEqual(["Status", "Alarm"]);
  });

  test("is not believed, and nothing is changed in it, when it is of another", async () => {
    const stranger = { expectClusterId: 8n };
    expect((await errorOf(client.range({ key: "k" }, stranger))).code).toBe("wrong-cluster");
    expect((await errorOf(client.members(stranger))).code).toBe("wrong-cluster");
    expect((await errorOf(client.put({ key: "k", value: "v" }, stranger))).code).toBe("wrong-cluster");
    expect(asked).toEqual(["Range", "MemberList"]);
  });
});

test("an answer without a member id is from no known member", async () => {
  const [, bytes] = saying(KV.method.range, {});
  const server = new FakeServer((stream) => say(stream, bytes));
  const client = connectEtcd({ address: await server.listen() });
  expect((await errorOf(client.range({ key: "k" }, { expectClusterId: OURS }))).code).toBe("wrong-cluster");
  client.close();
  await server.close();
});

function saying<M extends DescMethodUnary>(method: M, message: MessageInitShape<M["output"]>): [string, Buffer] {
  const output: M["output"] = method.output;
  return [pathOf(method), frame(toBinary(output, create(output, message)))];
}

function say(stream: ServerHttp2Stream, bytes: Buffer | undefined): void {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(bytes);
}
