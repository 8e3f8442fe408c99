/** Whether a plan is left out until the operator is mended: what it does about orphans is on its way. */
export function isAwaited(name: string): boolean {
  return name.includes("orphan");
}
