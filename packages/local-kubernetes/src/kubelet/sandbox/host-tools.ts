import { existsSync } from "node:fs";

/** Where set-up looks for programs, whatever PATH the kubelet itself was started with. */
export const toolPath = "/usr/sbin:/usr/bin:/sbin:/bin";

/** The absolute path of a tool; containers see it at the same path. */
export function toolAt(name: string): string {
  return (
    toolPath
      .split(":")
      .map((folder) => `${folder}/${name}`)
      .find((path) => existsSync(path)) ?? name
  );
}
