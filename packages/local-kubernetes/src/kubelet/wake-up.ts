import type { Clock } from "@etcd-operator/kubernetes-client";

/** Lets one sleeper wait for whichever comes first: a time, or someone who wakes it. A call while it is up is kept. */
export class WakeUp {
  readonly #clock: Clock;
  #isCalled = false;
  #call: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): void {
    this.#isCalled = true;
    this.#call();
  }

  async wait(until: number | undefined): Promise<void> {
    if (!this.#isCalled) {
      await new Promise<void>((resolve) => {
        const cancel =
          until === undefined ? () => undefined : this.#clock.after(Math.max(0, until - this.#clock.now()), resolve);
        this.#call = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#call = () => undefined;
    this.#isCalled = false;
  }
}
