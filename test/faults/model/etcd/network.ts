/** Which members reach each other, by the names of their pods: also of those that have not started yet. */
export class Network {
  readonly #hidden = new Set<string>();
  #sides: readonly (readonly string[])[] = [];

  /** Only those on the same side reach each other; all that are named nowhere are on one together. */
  part(sides: readonly (readonly string[])[]): void {
    this.#sides = sides;
  }

  sideOf(pod: string): string {
    const side = this.#sides.findIndex((pods) => pods.includes(pod));
    return side < 0 ? "" : `side ${side}`;
  }

  /** Keeps clients from a pod, or lets them through again. */
  hide(pod: string, isHidden: boolean): void {
    if (isHidden) this.#hidden.add(pod);
    else this.#hidden.delete(pod);
  }

  isHidden(pod: string): boolean {
    return this.#hidden.has(pod);
  }
}
