import type { ApiContext } from "../api-context.ts";
import { ApiError } from "../api-error.ts";
import type { Resource } from "../kinds/resource.ts";
import { type JsonObject, type KubeObject, listIn, objectIn, sameJson } from "../kube-object.ts";
import { create } from "../verbs/create.ts";
import { update } from "../verbs/update.ts";
import { RBAC_GROUP } from "./authorizer.ts";
import { bindingObject, DEFAULT_BINDINGS, DEFAULT_ROLES, roleObject } from "./default-roles.ts";

/**
 * Makes the roles and bindings that every cluster has, and puts back what was taken from them, as at every start of a
 * real one.
 */
export async function reconcileDefaultRoles(api: ApiContext): Promise<void> {
  for (const role of DEFAULT_ROLES) {
    await reconcile(api, "clusterroles", roleObject(role), missingRules);
  }
  for (const [role, groups] of Object.entries(DEFAULT_BINDINGS)) {
    await reconcile(api, "clusterrolebindings", bindingObject(role, groups), missingSubjects);
  }
}

/** What the object lacks of the wanted one, to be added. */
type Lacking = (object: KubeObject, wanted: JsonObject) => JsonObject;

const options = { isDryRun: false, fieldValidation: "Ignore", warn: () => {} } as const;

async function reconcile(api: ApiContext, plural: string, wanted: JsonObject, lacking: Lacking): Promise<void> {
  const resource = api.registry.findAny(RBAC_GROUP, plural);
  if (!resource) throw new Error(`no resource ${plural}`);
  try {
    await create(api, { resource, namespace: undefined, body: structuredClone(wanted), options });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 409) throw error;
    await repair(api, resource, wanted, lacking);
  }
}

async function repair(api: ApiContext, resource: Resource, wanted: JsonObject, lacking: Lacking): Promise<void> {
  const { name, labels, annotations } = objectIn(wanted, "metadata") as KubeObject["metadata"];
  await update(api, { resource, namespace: undefined, name: name ?? "" }, options, (old) => {
    if (old.metadata.annotations?.["rbac.authorization.kubernetes.io/autoupdate"] === "false")
      return structuredClone(old);
    return {
      ...structuredClone(old),
      ...lacking(old, wanted),
      metadata: {
        ...structuredClone(old.metadata),
        labels: { ...old.metadata.labels, ...labels },
        annotations: { ...old.metadata.annotations, ...annotations },
      },
    };
  });
}

function missingRules(role: KubeObject, wanted: JsonObject): JsonObject {
  const held = listIn(role, "rules");
  const missing = listIn(wanted, "rules").filter((rule) => !held.some((each) => sameJson(each, rule)));
  return missing.length === 0 ? {} : { rules: [...held, ...missing] };
}

function missingSubjects(binding: KubeObject, wanted: JsonObject): JsonObject {
  const subjects = listIn(binding, "subjects");
  const missing = listIn(wanted, "subjects").filter(
    ({ kind, name }) => !subjects.some((subject) => subject.kind === kind && subject.name === name),
  );
  return missing.length === 0 ? {} : { subjects: [...subjects, ...missing] };
}
