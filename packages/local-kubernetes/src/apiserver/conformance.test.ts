import { startLocalApiServer } from "@etcd-operator/testing/local/api-server.ts";
import { ControllersUnderTest } from "@etcd-operator/testing/local/controllers.ts";
import { afterAll, beforeAll, describe } from "vitest";
import { conformance } from "../../conformance/conformance.ts";
import { openTarget } from "../../conformance/open-target.ts";
import type { ConformanceTarget } from "../../conformance/target.ts";

let controllers: ControllersUnderTest;
let target: ConformanceTarget;

beforeAll(async () => {
  const server = await startLocalApiServer();
  controllers = await ControllersUnderTest.start(() => Promise.resolve(server));
  target = openTarget({
    adminKubeconfig: server.kubeconfig,
    storeEndpoint: server.etcd.clientUrl,
    hasControllers: true,
  });
});

afterAll(() => controllers?.stop());

describe("the API server of local mode", () => conformance(() => target));
