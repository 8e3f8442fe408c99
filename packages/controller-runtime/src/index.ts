export { BackgroundRuns, type RunContext, type RunState } from "./background-runs.ts";
export { countObjects } from "./count-objects.ts";
export { isWorthTelling, reasonOf } from "./failure.ts";
export { type Fence, fenceOf } from "./fence.ts";
export { type HeldReason, holdingUnread } from "./holding-unread.ts";
export { InformerSet } from "./informer-set.ts";
export { Health } from "./observability/health.ts";
export { ListenError } from "./observability/listen-error.ts";
export { createLogger, LOG_LEVELS, type Logger, type LogLevel } from "./observability/logger.ts";
export { LoopMetrics } from "./observability/loop-metrics.ts";
export type { PassObserver } from "./observability/pass-observer.ts";
export { serveHealthOnSharedPort } from "./observability/shared-port.ts";
export type { Outcome } from "./outcome.ts";
export { OwnWrites } from "./own-writes.ts";
export type { Pass, Reconcile } from "./pass.ts";
export {
  type ActionOutcome,
  type Attempt,
  isEffective,
  type KindOfObject,
  planAndAct,
  type Round,
  type Special,
  type Steps,
} from "./reconcile-steps.ts";
export { reconciler } from "./reconciler.ts";
export { type RunControllerOptions, runController } from "./run-controller.ts";
export { ConditionMemory, type ConditionSeen, type SeenFor } from "./seen-for.ts";
export { fromInformer, type Source } from "./source.ts";
export { StatusKeeper } from "./status-keeper.ts";
export { TrackedClient } from "./tracked-client.ts";
export { Turns } from "./turns.ts";
export { WorkQueue } from "./work-queue.ts";
export { runWorkers } from "./workers.ts";
