import assert from "node:assert/strict";
import { type LocalApiServer, startLocalApiServer } from "@etcd-operator/testing/local/api-server.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { openTarget } from "../../../conformance/open-target.ts";
import type { Rest } from "../../../conformance/target.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const bindings = `${RBAC}/namespaces/default/rolebindings`;
const basicUser = `${RBAC}/clusterroles/system:basic-user`;

let server: LocalApiServer;
let rest: Rest;

const restOf = ({ kubeconfig, etcd }: LocalApiServer) =>
  openTarget({ adminKubeconfig: kubeconfig, storeEndpoint: etcd.clientUrl, hasControllers: false }).rest;

beforeAll(async () => {
  server = await startLocalApiServer();
  rest = restOf(server);
});
afterAll(() => server?.stop());

async function codeAs(user: string, path = "/api/v1/namespaces/default/configmaps"): Promise<number> {
  return (await rest("GET", path, undefined, { headers: { "Impersonate-User": user } })).code;
}

describe("a role and a binding", () => {
  test("count for the very next request, and no longer for the one after their end", async () => {
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }];
    await rest("POST", `${RBAC}/namespaces/default/roles`, { metadata: { name: "lister" }, rules });
    for (let round = 0; round < 20; round += 1) {
      const binding = {
        metadata: { name: `round-${round}` },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "lister" },
        subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "jane" }],
      };
      await rest("POST", bindings, binding);
      assert.equal(await codeAs("jane"), 200, `round ${round}: bound`);
      await rest("DELETE", `${bindings}/round-${round}`);
      assert.equal(await codeAs("jane"), 403, `round ${round}: no longer bound`);
    }
  });

  test("are seen by all who ask at once", async () => {
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "lister" };
    const subjects = [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "system:authenticated" }];
    await rest("POST", bindings, { metadata: { name: "everybody" }, roleRef, subjects });
    const codes = await Promise.all(Array.from({ length: 20 }, (_, index) => codeAs(`user-${index}`)));
    assert.deepEqual(new Set(codes), new Set([200]));
  });
});

describe("the default roles, at the next start,", () => {
  test("get back rules that were removed, unless their annotation opts out", async () => {
    const isWhole = async (ask: Rest) =>
      ((await ask<{ rules: object[] }>("GET", basicUser)).body.rules ?? []).length === 2;
    assert.equal(await isWhole(rest), true);
    await rest("PATCH", basicUser, { rules: [], metadata: { labels: { own: "label" } } });
    const second = await startLocalApiServer({ etcd: server.etcd });
    const again = restOf(second);
    assert.equal(await isWhole(again), true);
    assert.equal((await again("GET", basicUser)).body.metadata?.labels?.own, "label");
    const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "false" };
    await again("PATCH", basicUser, { rules: [], metadata: { annotations } });
    await second.stop();

    const third = await startLocalApiServer({ etcd: server.etcd });
    assert.equal(await isWhole(restOf(third)), false);
    await third.stop();
  });
});
