import assert from "node:assert/strict";
import { createLogger } from "@etcd-operator/controller-runtime";
import { KubernetesError, type KubernetesErrorCode } from "@etcd-operator/kubernetes-client";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { beforeEach, describe, test } from "vitest";
import { ownResources } from "../objects/own-resources.ts";
import { waitUntilServed } from "./wait-until-served.ts";

const { etcdBackups, etcdClusters } = ownResources;

let clock: FakeClock;
let answers: Map<string, KubernetesErrorCode>;
let asked: string[];
let lines: { level: string; msg: string }[];
let abort: AbortController;
let isOver: boolean;

beforeEach(() => {
  clock = new FakeClock();
  abort = new AbortController();
  answers = new Map();
  isOver = false;
  [asked, lines] = [[], []];
});

function start(namespace?: string): void {
  const client = {
    async request<Answer>(_: unknown, path: string): Promise<Answer> {
      asked.push(path);
      const code = answers.get(path.split("/").at(-1) ?? "");
      if (code) throw new KubernetesError(code, { operation: path, message: "scripted" });
      return {} as Answer;
    },
  };
  const logger = createLogger({ write: (line) => lines.push(JSON.parse(line)) });
  const options = { client, namespace, logger, clock, random: () => 0.5 };
  void waitUntilServed([etcdClusters, etcdBackups], options, abort.signal).then(() => {
    isOver = true;
  });
}

describe("waiting for kinds", () => {
  test("is over at once when they are served, and asks where the operator may list", async () => {
    start("here");
    await clock.advance(0);
    assert.ok(isOver);
    const [first] = asked;
    assert.equal(first, "/apis/etcd.database.coreos.com/v1beta2/namespaces/here/etcdclusters");
    assert.deepEqual(lines, []);
  });

  test("lasts until the last of them is served, and says for what it waits, now and then", async () => {
    answers.set("etcdbackups", "not-found");
    start();
    await clock.advance(0);
    assert.deepEqual(lines, [], "one that was just created needs a moment");
    await clock.advance(25_000);
    assert.match(
      lines.map(({ msg }) => msg).join(),
      /^waiting for the CRD of EtcdBackup: .*kubectl apply -f deploy\/crd`$/,
    );
    await clock.advance(30_000);
    assert.equal(lines.length, 2);
    assert.ok(!isOver);
    answers.clear();
    await clock.advance(2_000);
    assert.ok(isOver);
  });

  test("survives an API server that fails or forbids, and says why", async () => {
    answers.set("etcdbackups", "forbidden");
    start();
    await clock.advance(10_000);
    assert.deepEqual(
      lines.map(({ level }) => level),
      ["warn"],
    );
    answers.clear();
    await clock.advance(2_000);
    assert.ok(isOver);
  });

  test("ends with the program", async () => {
    answers.set("etcdbackups", "not-found");
    start();
    await clock.advance(100);
    abort.abort();
    await clock.advance(0);
    assert.ok(isOver);
    assert.deepEqual(clock.pendingMs, []);
  });
});
