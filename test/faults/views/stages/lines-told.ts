import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Downstream, Stage } from "../stage.ts";
import { isOfObject, type Line } from "../watch-line.ts";

/** A stage of a watch of pods, and what comes out of it. */
export class LinesTold implements Downstream {
  /** Such as "MODIFIED a 7", or "end". */
  readonly told: string[] = [];
  readonly into: Downstream;

  constructor(...stages: readonly Stage[]) {
    this.into = stages.reduceRight<Downstream>((down, stage) => stage(down, { plural: "pods" }), this);
  }

  line(line: Line): void {
    if (this.told.includes("end")) return;
    const { name, resourceVersion } = line.object.metadata ?? {};
    this.told.push(isOfObject(line) ? `${line.type} ${name} ${resourceVersion}` : line.type);
  }

  end(): void {
    this.told.push("end");
  }
}

export function anEvent(name: string, revision: number, type = "MODIFIED"): Line {
  return { type, object: stored({ namespace: "tests", name, resourceVersion: String(revision) }) };
}

export function aBookmark(revision: number): Line {
  return { type: "BOOKMARK", object: stored({ resourceVersion: String(revision) }) };
}

function stored(metadata: object): Stored {
  return { metadata } as Stored;
}
