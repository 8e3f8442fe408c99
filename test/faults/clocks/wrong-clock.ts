import { type Clock, systemClock } from "@etcd-operator/kubernetes-client";

/** The wall clock of the operators' machines, which is wrong; what measures how long something takes is right. */
export class WrongClock implements Clock {
  aheadMs: number;
  /** How often it was asked while it was wrong. */
  asked = 0;

  constructor(aheadMs = 0) {
    this.aheadMs = aheadMs;
  }

  now(): number {
    if (this.aheadMs !== 0) this.asked += 1;
    return systemClock.now() + this.aheadMs;
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  after(ms: number, run: () => void): () => void {
    return systemClock.after(ms, run);
  }
}
