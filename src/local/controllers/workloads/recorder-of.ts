import { EventRecorder } from "../../../kubernetes/event-recorder.ts";
import type { ControllerContext } from "../controller-context.ts";

/** Events under the name that the controller has in a real cluster: users look for it in `kubectl describe`. */
export function recorderOf({ client, clock, signal, log }: ControllerContext, component: string): EventRecorder {
  const onError = (error: unknown) => log(`${component}: ${String(error)}`);
  return new EventRecorder({ client, component, clock, signal, onError });
}
