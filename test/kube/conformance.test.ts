import { describe } from "vitest";
import { conformance } from "../conformance/conformance.ts";
import { openTarget } from "../conformance/open-target.ts";
import { injectedKube } from "../support/kube/injected.ts";

const { adminKubeconfig, etcdEndpoint, hasControllerManager } = injectedKube();
const target = openTarget({
  adminKubeconfig,
  storeEndpoint: etcdEndpoint,
  hasControllers: hasControllerManager,
});

describe("a real kube-apiserver", () => conformance(() => target));
