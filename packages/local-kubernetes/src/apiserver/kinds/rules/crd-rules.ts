import { storedVersions } from "../../crd/crd-status.ts";
import { type CustomResourceDefinition, withCrdDefaults } from "../../crd/custom-resource-definition.ts";
import { isFormat } from "../../crd/formats.ts";
import { validateCrd } from "../../crd/validate-crd.ts";
import { isObject, type KubeObject, listIn, valueIn } from "../../kube-object.ts";
import type { KindRules } from "../resource.ts";
import { inside } from "./fill.ts";

/** On a CRD that is being deleted, until the last of its objects is gone. */
export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

/** Its conditions come from the code that serves the objects; see `custom-kinds.ts`. */
export const crdRules: KindRules = {
  finalizerOnDelete: CLEANUP_FINALIZER,

  applyDefaults(object) {
    // What is too broken to be completed is left to the validation.
    if (isObject(valueIn(object, "spec", "names")) && typeof valueIn(object, "spec", "names", "kind") === "string") {
      const hasNone = valueIn(object, "spec", "versions") === undefined;
      Object.assign(object, withCrdDefaults(asCrd(object)));
      if (hasNone) delete inside(object, "spec").versions;
    }
  },

  prepareCreate(object) {
    object.status = {
      conditions: null,
      acceptedNames: { plural: "", kind: "" },
      storedVersions: hasVersions(object) ? storedVersions(asCrd(object)) : [],
    };
  },

  prepareUpdate(object, old) {
    if (!hasVersions(object)) return;
    inside(object, "status").storedVersions = storedVersions(asCrd(object), asCrd(old));
  },

  prepareDelete(object) {
    const status = inside(object, "status");
    const conditions = listIn(status, "conditions").filter(({ type }) => type !== "Terminating");
    status.conditions = [
      ...conditions,
      {
        type: "Terminating",
        status: "True",
        lastTransitionTime: object.metadata.deletionTimestamp,
        reason: "InstanceDeletionPending",
        message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
      },
    ];
  },

  warnings: (object) => {
    const formats = listIn(object, "spec", "versions").flatMap(({ schema }) => formatsIn(schema));
    return [...new Set(formats)]
      .filter((format) => !isFormat(format))
      .map((format) => `unrecognized format "${format}"`);
  },

  validate: (object, old, subresource) => (subresource ? [] : validateCrd(asCrd(object), old && asCrd(old))),
};

/** The formats of all texts in a schema. */
function formatsIn(schema: unknown): string[] {
  if (!isObject(schema)) return Array.isArray(schema) ? schema.flatMap(formatsIn) : [];
  const own = schema.type === "string" && typeof schema.format === "string" ? [schema.format] : [];
  return [...own, ...Object.entries(schema).flatMap(([key, value]) => (key === "default" ? [] : formatsIn(value)))];
}

export function asCrd(object: KubeObject): CustomResourceDefinition {
  return object as unknown as CustomResourceDefinition;
}

function hasVersions(object: KubeObject): boolean {
  return Array.isArray(valueIn(object, "spec", "versions"));
}
