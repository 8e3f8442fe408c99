/**
 * Something that is wrong with a view every now and then, and how often it was: a plan in which it never is shows
 * nothing.
 */
export class Happening {
  readonly what: string;
  #times = 0;

  constructor(what: string) {
    this.what = what;
  }

  get times(): number {
    return this.#times;
  }

  /** It happens. */
  readonly note = (): void => {
    this.#times += 1;
  };
}
