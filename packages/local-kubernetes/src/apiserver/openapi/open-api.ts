import { createHash } from "node:crypto";
import type { CustomResourceDefinition } from "../crd/custom-resource-definition.ts";
import { openApiFor } from "../crd/open-api/open-api.ts";
import type { Registry } from "../kinds/registry.ts";
import type { Resource } from "../kinds/resource.ts";
import type { JsonObject } from "../kube-object.ts";
import { builtinDocument } from "./builtin-document.ts";
import { swaggerOf } from "./swagger.ts";
import { encodeSwagger } from "./swagger-protobuf.ts";

/** OpenAPI v3: an index, and one document per group and version, made on demand; and all of it in v2. */
export class OpenApi {
  readonly #registry: Registry;
  readonly #definitions: () => readonly CustomResourceDefinition[];
  readonly #documents = new WeakMap<Resource, { text: string; hash: string }>();

  constructor(registry: Registry, definitions: () => readonly CustomResourceDefinition[]) {
    this.#registry = registry;
    this.#definitions = definitions;
  }

  /** GET /openapi/v3 */
  index(): JsonObject {
    const paths = [...this.#groups().keys()].map((path) => {
      const { hash } = this.#document(path) ?? { hash: "" };
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
    });
    return { paths: Object.fromEntries(paths) };
  }

  /** GET /openapi/v3/<path>; undefined when there is no such group and version. */
  document(path: string): string | undefined {
    return this.#document(path)?.text;
  }

  /** GET /openapi/v2 in JSON, or in the protobuf that kubectl wants; made again for each request, as these are few. */
  swagger(form: "json" | "protobuf"): Buffer {
    const documents = [...this.#groups().keys()].map((path) => JSON.parse(this.document(path) ?? "{}") as JsonObject);
    const document = swaggerOf(documents, "v1.34.0+local");
    return form === "json" ? Buffer.from(`${JSON.stringify(document)}\n`) : encodeSwagger(document);
  }

  #groups(): Map<string, Resource[]> {
    const groups = new Map<string, Resource[]>();
    for (const resource of this.#registry.all()) {
      const { group, version } = resource;
      const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
      groups.set(path, [...(groups.get(path) ?? []), resource]);
    }
    return groups;
  }

  // What is built in never changes; custom kinds are few, and written again each time.
  #document(path: string): { text: string; hash: string } | undefined {
    const resources = this.#groups().get(path) ?? [];
    const newest = resources.at(-1);
    if (!newest) return undefined;
    const known = this.#documents.get(newest);
    if (known && !newest.isCustom) return known;
    const text = JSON.stringify(this.#build(resources, newest));
    const made = { text, hash: createHash("sha256").update(text).digest("hex").toUpperCase() };
    this.#documents.set(newest, made);
    return made;
  }

  #build(resources: readonly Resource[], { group, version, isCustom }: Resource): JsonObject {
    return isCustom ? openApiFor(this.#definitions(), group, version) : builtinDocument(resources);
  }
}
