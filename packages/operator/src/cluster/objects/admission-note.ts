import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { ANNOTATIONS } from "./annotations.ts";
import { ETCD_CONTAINER } from "./pod/pod.ts";

type Texts = Readonly<Record<string, string>>;

/** Values that the operator asked for on the pod of a member. */
export interface Asked {
  /** Of the container of etcd. */
  readonly image?: string;
  readonly labels: Texts;
  readonly annotations: Texts;
}

/** Reads back what admission answered with something else; an illegible note names nothing. */
export function parseAdmissionNote(note: string | undefined): Asked {
  const found = parsed(note);
  return {
    ...(typeof found.image === "string" && { image: found.image }),
    labels: textsIn(found.labels),
    annotations: textsIn(found.annotations),
  };
}

/**
 * The note that a pod needs after a write, by what the API server answered; undefined when it is right as it is. It
 * holds the values that were asked for, so that it says nothing about any other.
 */
export function admissionNote({ metadata, spec }: Pod, asked: Partial<Asked>): string | undefined {
  const before = parseAdmissionNote(metadata?.annotations?.[ANNOTATIONS.changedByAdmission]);
  const answered = spec?.containers.find(({ name }) => name === ETCD_CONTAINER)?.image;
  const image = asked.image === undefined ? before.image : otherwise(asked.image, answered);
  const after: Asked = {
    ...(image !== undefined && { image }),
    labels: changed(before.labels, asked.labels, metadata?.labels),
    annotations: changed(before.annotations, asked.annotations, metadata?.annotations),
  };
  return formatAdmissionNote(after) === formatAdmissionNote(before) ? undefined : formatAdmissionNote(after);
}

export function formatAdmissionNote({ image, labels, annotations }: Asked): string {
  return JSON.stringify({ image, labels, annotations });
}

function otherwise(asked: string, answered: string | undefined): string | undefined {
  return asked === answered ? undefined : asked;
}

function changed(before: Texts, asked: Texts = {}, answered: Texts = {}): Texts {
  const kept = Object.entries(before).filter(([key]) => !Object.hasOwn(asked, key));
  const entries = [...kept, ...Object.entries(asked).filter(([key, value]) => answered[key] !== value)];
  return Object.fromEntries(entries.sort());
}

function parsed(note: string | undefined): Readonly<Record<string, unknown>> {
  try {
    return { ...(JSON.parse(note ?? "{}") as object) };
  } catch {
    return {};
  }
}

function textsIn(found: unknown): Texts {
  const entries = typeof found === "object" && found !== null ? Object.entries(found) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
