import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "vitest";
import { until } from "../../../../test/support/kube/until.ts";
import { type LocalApiServer, startLocalApiServer } from "../../../../test/support/local/api-server.ts";
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

/** Puts another Secret in the place of the one for which a token was just signed, once. */
class Meddler extends KubeClient {
  #isDone = false;

  override async request<Answer>(...call: Parameters<KubeClient["request"]>): Promise<Answer> {
    const answer = await super.request<Answer>(...call);
    if (!call[1].endsWith("/token") || call[0] !== "POST" || this.#isDone) return answer;
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
  const written = async () => {
    const found = await client.get(resources.secrets, secretRef).catch(() => undefined);
    return found?.metadata.uid !== first.uid && found?.data?.token ? found : undefined;
  };
  const found = await until(written, { what: "a token in the Secret" });
  const token = Buffer.from(found.data?.token ?? "", "base64").toString();
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  assert.equal(claims["kubernetes.io"].secret.uid, found.metadata.uid);
  await client.close();
});
