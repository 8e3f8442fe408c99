/** What has been started and how to end it, whatever happens in between. */
export class Cleanup {
  readonly #ends: (() => Promise<unknown>)[] = [];

  /** Waits for what starts; from now on it will be ended, even when its caller never sees it started. */
  async use<Started>(starting: Promise<Started>, end: (started: Started) => Promise<unknown>): Promise<Started> {
    this.#ends.push(() => starting.then(end, () => undefined));
    return starting;
  }

  /** Ends everything, the last first; one that fails does not keep the others. */
  async run(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) {
      await end().catch((error: unknown) => process.stderr.write(`could not clean up: ${error}\n`));
    }
  }
}
