import type { Clock } from "@etcd-operator/kubernetes-client";
import type { Observation } from "../model/observation.ts";
import type { FencedWriter } from "./fenced-writer.ts";
import type { LiveEtcd } from "./live-etcd.ts";
import type { LiveReads } from "./live-reads.ts";

/** The inputs of an action: the observation, and clients to read live and to write. */
export interface Work {
  readonly seen: Observation;
  readonly live: LiveReads;
  readonly etcd: LiveEtcd;
  readonly writer: FencedWriter;
  readonly clock: Clock;
  /** Our own image, which has the guard in it. */
  readonly guardImage: string;
}
