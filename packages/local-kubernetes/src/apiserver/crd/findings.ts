import type { Cause } from "./cause.ts";

interface Finding {
  /** The sentence of the schema validator; two findings with the same one are one. */
  readonly text: string;
  readonly cause: Cause;
}

/** What the check of a value against a schema has found. */
export class Findings {
  private readonly found: Finding[] = [];

  /** How many checks were made: of several alternatives, the failures of the one that came furthest are shown. */
  checks = 0;

  get isEmpty(): boolean {
    return this.found.length === 0;
  }

  get causes(): readonly Cause[] {
    return this.found.map(({ cause }) => cause);
  }

  add(text: string, cause: Cause): this {
    if (!this.found.some((known) => known.text === text)) this.found.push({ text, cause });
    return this;
  }

  merge(other: Findings): this {
    for (const { text, cause } of other.found) this.add(text, cause);
    this.checks += other.checks;
    return this;
  }

  count(): this {
    this.checks++;
    return this;
  }

  /** The same checks, without what they found. */
  forgiven(): Findings {
    const none = new Findings();
    none.checks = this.checks;
    return none;
  }
}
