import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "vitest";
import { Gatekeeper } from "./gatekeeper.ts";

test.each([
  ["POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", true],
  ["DELETE", "/%61pis/rbac.authorization.k8s.io/v1/clusterroles/a?dryRun=All", true],
  ["PUT", "/apis/rbac%2Eauthorization.k8s.io/v1/clusterroles/a", true],
  ["PATCH", "https://localhost/apis/rbac.authorization.k8s.io/v1/clusterroles/a", true],
  ["GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles", false],
  ["POST", "/apis/apps/v1/namespaces/a/deployments", false],
  ["POST", "//", false],
])("whether %s %s may have written a role: %s", (method, url, expected) => {
  let hasWritten = false;
  const gatekeeper = new Gatekeeper(
    { authenticate: async () => ({ username: "jane", groups: [] }) },
    {
      decide: async () => ({ isAllowed: true, reason: "" }),
      rolesWritten: () => {
        hasWritten = true;
      },
    },
  );
  gatekeeper.answered({ method, url } as IncomingMessage);
  assert.equal(hasWritten, expected);
});
