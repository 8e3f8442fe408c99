import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Work } from "../act/work.ts";
import { type Asked, admissionNote } from "../objects/admission-note.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";

/**
 * Records what admission made otherwise of a write, by its answer: only then is a later difference another client's
 * change.
 */
export async function noteAdmission({ writer }: Pick<Work, "writer">, answered: Stored<Pod>, asked: Partial<Asked>) {
  const note = admissionNote(answered, asked);
  if (note === undefined) return;
  await writer.annotate(resources.pods, answered.metadata, { [ANNOTATIONS.changedByAdmission]: note });
}
