const MOST = 4000;

/** The end of a program's output. */
export class Tail {
  #text = "";

  add(more: string): void {
    this.#text = (this.#text + more).slice(-MOST);
  }

  get text(): string {
    return this.#text.trim();
  }
}
