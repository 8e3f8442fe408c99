import { afterAll, beforeAll, describe } from "vitest";
import { conformance } from "../../../test/conformance/conformance.ts";
import { openTarget } from "../../../test/conformance/open-target.ts";
import type { ConformanceTarget } from "../../../test/conformance/target.ts";
import { type LocalApiServer, startLocalApiServer } from "../../../test/support/local/api-server.ts";

let server: LocalApiServer;
let target: ConformanceTarget;

beforeAll(async () => {
  server = await startLocalApiServer();
  target = openTarget({
    adminKubeconfig: server.kubeconfig,
    storeEndpoint: server.etcd.clientUrl,
    hasControllers: false,
    lacks: ["server-side apply"],
  });
});

afterAll(() => server?.stop());

describe("the API server of local mode", () => conformance(() => target));
