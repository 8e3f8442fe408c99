import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { describe, test } from "vitest";
import { SecretsSeen } from "./secrets-seen.ts";

const VALUE = "a password of many letters";

function anObject(name: string, rest: object = {}): Stored {
  const metadata = { name, uid: name, resourceVersion: "1", generation: 1, creationTimestamp: "" };
  return { apiVersion: "v1", kind: "Any", metadata, ...rest } as unknown as Stored;
}

describe("what is in a Secret", () => {
  const seen = () => {
    const secrets = new SecretsSeen();
    secrets.add("secrets", anObject("s", { data: { password: Buffer.from(VALUE).toString("base64") } }));
    return secrets;
  };

  test("may be in the Secret, and nowhere else", () => {
    const secrets = seen();
    secrets.add("pods", anObject("a"));
    assert.deepEqual(secrets.with([{ name: "the log", text: "a pod was made" }]), []);
  });

  test("is found in any version of another object, such as an Event", () => {
    const secrets = seen();
    secrets.add("events", anObject("e", { message: `it did not take ${VALUE}` }));
    secrets.add("events", anObject("e"));
    assert.deepEqual(secrets.with([]), ["a value of Secret s is in events/e"]);
  });

  test("is found in what else is reported", () => {
    assert.deepEqual(seen().with([{ name: "the log", text: VALUE }]), ["a value of Secret s is in the log"]);
  });
});
