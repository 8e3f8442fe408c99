import { abs } from "./components/abs.ts";
import { etcd } from "./components/etcd.ts";
import { etcdVersion } from "./components/etcd-version.ts";
import { gcs } from "./components/gcs.ts";
import { oss, s3 } from "./components/s3.ts";
import type { Component, Play } from "./play.ts";

/** All that reads from outside; a component brings its reads and the lies that can be sent to it. */
const components: readonly Component[] = [etcd, etcdVersion, s3, oss, abs, gcs];

/** Every read with every lie that can be sent about it. */
export const plays: readonly Play[] = components.flatMap((component) =>
  Object.entries(component.reads).flatMap(([read, { not = {} }]) =>
    Object.keys(component.lies)
      .filter((lie) => !(lie in not))
      .map((lie) => ({ component, read, lie })),
  ),
);

/** Such as "s3/list/endless-answer". */
export function nameOf({ component, read, lie }: Play): string {
  return `${component.name}/${read}/${lie}`;
}
