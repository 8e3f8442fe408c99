import type { KubeObject, Stored } from "./kube-object.ts";
import { apiVersionOf, type Resource } from "./resource.ts";

/** A list, or a part of one. */
export interface Page<T extends KubeObject> {
  readonly items: Stored<T>[];
  /** Of the whole list: a watch from here misses nothing. */
  readonly resourceVersion: string;
}

/** A list as the API server writes it. */
export interface ListAnswer<T extends KubeObject> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  /** Null when a server written in Go found none. */
  readonly items: Stored<T>[] | null;
}

/** What is kept of an object as soon as it is read. */
export type Keep<T extends KubeObject> = (object: Stored<T>) => Stored<T>;

export async function collected<T extends KubeObject>(
  pages: AsyncIterable<Page<T>>,
  keep: Keep<T> = (object) => object,
): Promise<Page<T>> {
  const items: Stored<T>[] = [];
  let resourceVersion = "";
  for await (const page of pages) {
    for (const item of page.items) items.push(keep(item));
    resourceVersion = page.resourceVersion;
  }
  return { items, resourceVersion };
}

export function pageOf<T extends KubeObject>(resource: Resource<T>, { metadata, items }: ListAnswer<T>): Page<T> {
  const [apiVersion, kind] = [apiVersionOf(resource), resource.kind];
  // In a list the API server leaves out what all items share.
  for (const item of items ?? []) Object.assign(item, { apiVersion, kind });
  return { items: items ?? [], resourceVersion: metadata.resourceVersion };
}
