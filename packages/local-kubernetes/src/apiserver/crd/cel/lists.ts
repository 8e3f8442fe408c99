import { isDeepStrictEqual } from "node:util";
import type { Declare } from "./declare.ts";
import { CelFailure } from "./failure.ts";

type Ordered = bigint | number | string | boolean | Date;

/** List functions that Kubernetes adds. */
export function registerLists(declare: Declare): void {
  declare("list<A>.isSorted(): bool", (list: readonly Ordered[]) =>
    list.every((item, i) => i === 0 || (list[i - 1] as Ordered) <= item),
  );
  declare("list<A>.min(): A", (list: readonly Ordered[]) => extreme(list, "min", (a, b) => a < b));
  declare("list<A>.max(): A", (list: readonly Ordered[]) => extreme(list, "max", (a, b) => a > b));
  declare("list<int>.sum(): int", (list: readonly bigint[]) => list.reduce((sum, each) => sum + each, 0n));
  declare("list<double>.sum(): double", (list: readonly number[]) => list.reduce((sum, each) => sum + each, 0));
  declare("list<A>.indexOf(A): int", (list: readonly unknown[], item: unknown) =>
    BigInt(list.findIndex((each) => isDeepStrictEqual(each, item))),
  );
  declare("list<A>.lastIndexOf(A): int", (list: readonly unknown[], item: unknown) =>
    BigInt(list.findLastIndex((each) => isDeepStrictEqual(each, item))),
  );
}

function extreme(list: readonly Ordered[], name: string, isBetter: (a: Ordered, b: Ordered) => boolean): Ordered {
  const [first, ...rest] = list;
  if (first === undefined) throw new CelFailure(`${name} called on empty list`);
  return rest.reduce((best, each) => (isBetter(each, best) ? each : best), first);
}
