import { inject } from "vitest";
import { accessTo, type KubeAccess } from "./access.ts";
import type { ControlPlaneFacts } from "./control-plane/control-plane.ts";

declare module "vitest" {
  export interface ProvidedContext {
    controlPlane: ControlPlaneFacts;
  }
}

/** The control plane that test/kube/global-setup.ts started for the test files of the project "kube". */
export function injectedKube(): KubeAccess {
  return accessTo(inject("controlPlane"));
}
