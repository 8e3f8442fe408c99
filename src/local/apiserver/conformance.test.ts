import { afterAll, beforeAll, describe } from "vitest";
import { conformance } from "../../../test/conformance/conformance.ts";
import { openTarget } from "../../../test/conformance/open-target.ts";
import type { ConformanceTarget } from "../../../test/conformance/target.ts";
import { startLocalApiServer } from "../../../test/support/local/api-server.ts";
import { ControllersUnderTest } from "../../../test/support/local/controllers.ts";

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
