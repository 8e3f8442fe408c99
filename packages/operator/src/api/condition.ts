import * as z from "zod";
import { int64, timestamp } from "./schema/primitives.ts";

/** A Kubernetes condition, with the additional field that coreos/etcd-operator wrote. */
const condition = z.object({
  type: z.string().max(316).describe("What the condition is about."),
  status: z.enum(["True", "False", "Unknown"]).describe("Whether it holds."),
  observedGeneration: int64(0).optional().describe("Generation of the spec that it was judged from."),
  lastUpdateTime: timestamp().optional().describe("When the condition was last written."),
  lastTransitionTime: timestamp().optional().describe("When `status` last changed."),
  reason: z.string().max(1024).optional().describe("Machine-readable reason, in CamelCase."),
  message: z.string().max(32_768).optional().describe("Human-readable message: what was observed, and what to do."),
});

/** @public */
export type Condition = z.output<typeof condition>;

export const conditions = z
  .array(condition)
  .max(32)
  .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] });
