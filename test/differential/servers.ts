import { openTarget } from "../conformance/open-target.ts";
import { startControlPlane } from "../support/kube/control-plane.ts";
import { startLocalApiServer } from "../support/local/api-server.ts";
import type { Servers } from "./run-stories.ts";

/** Both servers, without controllers: what they hold is what was sent to them. */
export async function startServers(): Promise<Servers & { stop(): Promise<void> }> {
  const [plane, own] = await Promise.all([startControlPlane({ withoutControllers: true }), startLocalApiServer()]);
  const { adminKubeconfig, etcdEndpoint } = plane.facts;
  return {
    real: openTarget({ adminKubeconfig, storeEndpoint: etcdEndpoint, hasControllers: false }),
    local: openTarget({ adminKubeconfig: own.kubeconfig, storeEndpoint: own.etcd.clientUrl, hasControllers: false }),
    async stop() {
      await Promise.all([plane.stop(), own.stop()]);
    },
  };
}
