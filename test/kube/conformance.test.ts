import { conformance } from "@etcd-operator/local-kubernetes/conformance/conformance.ts";
import { openTarget } from "@etcd-operator/local-kubernetes/conformance/open-target.ts";
import { injectedKube } from "@etcd-operator/testing/kube/injected.ts";
import { describe } from "vitest";

const { adminKubeconfig, etcdEndpoint, hasControllerManager } = injectedKube();
const target = openTarget({
  adminKubeconfig,
  storeEndpoint: etcdEndpoint,
  hasControllers: hasControllerManager,
});

describe("a real kube-apiserver", () => conformance(() => target));
