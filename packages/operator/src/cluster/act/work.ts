import type { Clock } from "@etcd-operator/kubernetes-client";
import type { Observation } from "../model/observation.ts";
import type { FencedWriter } from "./fenced-writer.ts";
import type { LiveEtcd } from "./live-etcd.ts";
import type { LiveReads } from "./live-reads.ts";

/** What an action works with: what the pass saw, and ways to look again and to write. */
export interface Work {
  readonly seen: Observation;
  readonly live: LiveReads;
  readonly etcd: LiveEtcd;
  readonly writer: FencedWriter;
  readonly clock: Clock;
  /** Our own image, which has the guard in it. */
  readonly guardImage: string;
}
