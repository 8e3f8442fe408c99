import assert from "node:assert/strict";
import type { Secret } from "kubernetes-types/core/v1.d.ts";
import { afterEach, beforeEach, test } from "vitest";
import { until } from "../../../../test/support/kube/until.ts";
import { type LocalApiServer, startLocalApiServer } from "../../../../test/support/local/api-server.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { connectionFromKubeconfig } from "../../../kubernetes/kubeconfig.ts";
import { resources } from "../../../kubernetes/resources.ts";
import { KubeClient } from "../../../kubernetes/rest-client.ts";
import type { ControllerContext } from "../controller-context.ts";
import { informersOf } from "../informers.ts";
import { startAccountTokens } from "./start-account-tokens.ts";

const secretRef = { namespace: "default", name: "token" };
const secret = {
  metadata: { ...secretRef, annotations: { "kubernetes.io/service-account.name": "robot" } },
  type: "kubernetes.io/service-account-token",
};

/** Puts another Secret in the place of the one for which a token was just signed, once, and keeps what was written. */
class Meddler extends KubeClient {
  readonly written: Stored<Secret>[] = [];
  #isDone = false;

  override async request<Answer>(...call: Parameters<KubeClient["request"]>): Promise<Answer> {
    const answer = await super.request<Answer>(...call);
    const [method, path] = call;
    if (method === "PATCH") this.written.push(answer as Stored<Secret>);
    if (method !== "POST" || !path.endsWith("/token") || this.#isDone) return answer;
    this.#isDone = true;
    await this.delete(resources.secrets, secretRef);
    await this.create(resources.secrets, secret);
    return answer;
  }
}

let server: LocalApiServer;
const end = new AbortController();
beforeEach(async () => {
  server = await startLocalApiServer();
});
afterEach(async () => {
  end.abort();
  await server.stop();
});

test("a Secret that took another's name gets a token of its own", async () => {
  const client = new Meddler(await connectionFromKubeconfig(server.kubeconfig));
  const { signal } = end;
  const informers = informersOf(client, () => {});
  const config = { pki: { caFile: server.ca } };
  startAccountTokens({ client, informers, config, signal, log: () => {} } as unknown as ControllerContext);
  await client.create(resources.serviceAccounts, { metadata: { namespace: "default", name: "robot" } });
  const { metadata: first } = await client.create(resources.secrets, secret);
  const [written] = await until(() => client.written.length > 0 && client.written, { what: "a token in the Secret" });
  assert.notEqual(written?.metadata.uid, first.uid);
  assert.equal(boundUid(written), written?.metadata.uid);
  await client.close();
});

function boundUid(written: Secret | undefined): unknown {
  const [, claims = ""] = Buffer.from(written?.data?.token ?? "", "base64")
    .toString()
    .split(".");
  return JSON.parse(Buffer.from(claims, "base64url").toString())["kubernetes.io"].secret.uid;
}
