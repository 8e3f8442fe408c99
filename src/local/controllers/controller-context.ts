import type { Clock } from "../../kubernetes/clock.ts";
import type { EventRecorder } from "../../kubernetes/event-recorder.ts";
import type { KubeClient } from "../../kubernetes/rest-client.ts";
import type { LocalConfig } from "../config.ts";
import type { Informers } from "./informers.ts";

/** What every controller is given. */
export interface ControllerContext {
  readonly config: LocalConfig;
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}
