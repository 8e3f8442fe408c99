// What a name of a pod may have is more, but it is its host name, too.
const LONGEST_NAME = 63;

/**
 * The name of a pod that is made for one piece of work of an object of ours; `suffix` makes it one that was never used.
 */
export function podNameFor(owner: string, purpose: "worker" | "drill", suffix: string): string {
  const end = `-${purpose}-${suffix}`;
  const beginning = owner.slice(0, LONGEST_NAME - end.length).replaceAll(".", "-");
  return `${beginning.replace(/-+$/, "")}${end}`;
}
