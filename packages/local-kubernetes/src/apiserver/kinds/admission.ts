import type { KubeObject } from "../kube-object.ts";

/** What the rules of a kind may ask of the rest of the server. */
export interface Admission {
  /** An object as the caches know it. */
  find(group: string, plural: string, name: string, namespace?: string): Promise<KubeObject | undefined>;
  list(group: string, plural: string): Promise<readonly KubeObject[]>;
  /** Two neighbours of the network, such as "10.88.128.0/17". */
  readonly serviceCidr: string;
  /** At least 0, less than 1. */
  random(): number;
  /** Five letters and digits for a name. */
  suffix(): string;
  now(): Date;
}
