import type { CrdVersion, CustomResourceDefinition } from "../custom-resource-definition.ts";
import type { JsonObject } from "../schema.ts";
import { kindSchema, listSchema } from "./kind-schemas.ts";
import { metaSchemas, scaleSchemas } from "./meta-schemas.ts";
import { pathsOf } from "./paths.ts";

/** The document at `/openapi/v3/apis/<group>/<version>`: all that these CRDs serve in one version of their group. */
export function openApiFor(crds: readonly CustomResourceDefinition[], group: string, version: string): JsonObject {
  const served = crds.flatMap((crd) => {
    const found = crd.spec.group === group && crd.spec.versions.find((each) => each.name === version && each.served);
    return found ? [{ crd, version: found }] : [];
  });
  const schemas = served.flatMap((each) => Object.entries(schemasOf(each.crd, each.version)));
  const paths = served.flatMap((each) => Object.entries(pathsOf(each.crd, each.version)));
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes CRD Swagger", version: "v0.1.0" },
    paths: Object.fromEntries(paths.sort(byName)),
    components: { schemas: Object.fromEntries([...schemas, ...Object.entries(metaSchemas)].sort(byName)) },
  };
}

function schemasOf(crd: CustomResourceDefinition, version: CrdVersion): Record<string, unknown> {
  return {
    ...kindSchema(crd, version),
    ...listSchema(crd, version),
    ...(version.subresources?.scale && scaleSchemas),
  };
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
