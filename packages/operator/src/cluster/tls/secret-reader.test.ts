import assert from "node:assert/strict";
import type { KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import { KubernetesError, type KubernetesErrorCode } from "@etcd-operator/kubernetes-client";
import type { Secret } from "kubernetes-types/core/v1.d.ts";
import { beforeEach, describe, test } from "vitest";
import { SecretReader } from "./secret-reader.ts";

const REF = { namespace: "prod", name: "operator" };
const SIGNAL = new AbortController().signal;

interface Question {
  resolve(secret: Stored<Secret>): void;
  reject(error: Error): void;
}

describe("a Secret that several want at the same time", () => {
  let asked: Question[];
  let reader: SecretReader;

  beforeEach(() => {
    asked = [];
    const get = () => new Promise<Stored<Secret>>((resolve, reject) => asked.push({ resolve, reject }));
    reader = new SecretReader({ get: get as unknown as KubeClient["get"] });
  });
  const secret = (resourceVersion: string) =>
    ({ metadata: { uid: "uid", resourceVersion }, data: {} }) as unknown as Stored<Secret>;
  const trouble = (code: KubernetesErrorCode) => new KubernetesError(code, { operation: "GET", message: code });

  test("is read once for all of them, and again for later requests", async () => {
    const both = Promise.all([reader.read(REF, SIGNAL), reader.read(REF, SIGNAL)]);
    assert.equal(asked.length, 1);
    asked[0]?.resolve(secret("1"));
    const [one, other] = await both;
    assert.equal(one, other);
    const later = reader.read(REF, SIGNAL);
    asked[1]?.resolve(secret("2"));
    assert.equal((await later).metadata.resourceVersion, "2");
  });

  test("is not mistaken for another", async () => {
    void reader.read(REF, SIGNAL);
    void reader.read({ ...REF, namespace: "test" }, SIGNAL);
    assert.equal(asked.length, 2);
  });

  test("is missing for all of them", async () => {
    const both = [reader.read(REF, SIGNAL), reader.read(REF, SIGNAL)];
    asked[0]?.reject(trouble("not-found"));
    for (const each of both) await assert.rejects(each, { code: "not-found" });
    assert.equal(asked.length, 1);
  });

  test("is read by the next when the one that was reading it stops", async () => {
    const [first, second] = [reader.read(REF, SIGNAL), reader.read(REF, SIGNAL)];
    asked[0]?.reject(trouble("canceled"));
    await assert.rejects(first, { code: "canceled" });
    assert.equal(asked.length, 2);
    asked[1]?.resolve(secret("1"));
    assert.equal((await second).metadata.resourceVersion, "1");
  });

  test("is not read for a cancelled request, too", async () => {
    const giveUp = new AbortController();
    const [first, second] = [reader.read(REF, SIGNAL), reader.read(REF, giveUp.signal)];
    giveUp.abort(new Error("enough"));
    asked[0]?.reject(trouble("canceled"));
    await assert.rejects(first, { code: "canceled" });
    await assert.rejects(second, /enough/);
    assert.equal(asked.length, 1);
  });
});
