import type { LoopsOfOperators } from "@etcd-operator/testing/loops/loops-of-operators.ts";

/** The loops of operators that serve all plans of a suite, each in namespaces whose names begin with the suite's. */
export class LoopsOfPlans {
  readonly #operators: LoopsOfOperators;
  readonly #suite: string;

  constructor(operators: LoopsOfOperators, suite: string) {
    this.#operators = operators;
    this.#suite = suite;
  }

  /** Those since the last time in namespaces of one plan, and in those of no plan, such as that of the operator. */
  in(...namespaces: readonly string[]): Promise<readonly string[]> {
    const isOfPlan = (namespace: string) => namespace.startsWith(`${this.#suite}-`);
    return this.#operators.found((namespace) => namespaces.includes(namespace) || !isOfPlan(namespace));
  }

  /** Throws those that no plan has reported, as when its namespace was deleted after its end. */
  async areOver(): Promise<void> {
    const left = await this.#operators.found();
    if (left.length > 0) throw new Error(`after the end of their plans: ${left.join("; ")}`);
  }
}
