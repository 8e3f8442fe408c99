import { readdirSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../binaries/repository-root.ts";
import { type Image, plainImage } from "./image.ts";
import { ImageError } from "./image-error.ts";

const home = "/opt/etcd-operator";

/** Our own image: the bundles of this build, laid out as the Dockerfile does, and the Node.js that runs us. */
export function operatorImage(dist = join(repositoryRoot() ?? "", "dist")): Image {
  const bundles = bundlesIn(dist);
  if (bundles.length === 0) {
    throw new ImageError("unobtainable", `There is no build of etcd-operator in "${dist}": run "make build"`);
  }
  return {
    ...plainImage,
    id: "local://etcd-operator@this-build",
    entrypoint: ["etcd-operator"],
    env: { ...plainImage.env, NODE_ENV: "production" },
    uid: 65532,
    gid: 65532,
    binds: [
      { source: dist, target: home },
      { source: process.execPath, target: "/usr/local/bin/node" },
    ],
    links: Object.fromEntries(bundles.map((bundle) => [bundle.replace(/\.mjs$/, ""), `${home}/${bundle}`])),
  };
}

function bundlesIn(dist: string): string[] {
  try {
    return readdirSync(dist).filter((file) => file.endsWith(".mjs"));
  } catch {
    return [];
  }
}
