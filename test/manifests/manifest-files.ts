import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject } from "@etcd-operator/testing/kube/rest.ts";
import type { PodTemplateSpec } from "kubernetes-types/core/v1.d.ts";
import { parseAllDocuments } from "yaml";

/** Every file with Kubernetes objects under a folder of the repository, by its path from the root. */
export function manifestFiles(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return paths.filter((path) => /(\.ya?ml|\/Kustomization)$/.test(path)).sort();
}

/** The objects in a file; throws where it is not YAML. */
export function objectsIn(file: string): readonly KubeObject[] {
  return objectsOf(filledIn(file));
}

/**
 * What walk-throughs put for the placeholders of the backup and restore examples, as they did for those of
 * coreos/etcd-operator.
 */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  "<full-s3-path>": "my-bucket/etcd/example",
  "<aws-secret>": "aws",
  "<etcd-cluster-endpoints>": '"http://example-etcd-cluster-client:2379"',
};

/** The text of a file with its placeholders filled in, in the way its first lines say. */
export function filledIn(file: string): string {
  const text = readFileSync(file, "utf8");
  const [comment = "", body = ""] = [/^(#.*\n)*/.exec(text)?.[0], text.replace(/^(#.*\n)*/, "")];
  return comment + Object.entries(PLACEHOLDERS).reduce((filled, [name, value]) => filled.replaceAll(name, value), body);
}

/** The objects in a text of one or more YAML documents. */
export function objectsOf(source: string): readonly KubeObject[] {
  const documents = parseAllDocuments(source);
  for (const { errors } of documents) for (const error of errors) throw error;
  return documents.map((document) => document.toJS() as KubeObject);
}

/** The first object of a kind in a file. */
export function objectOfKind<Shape = KubeObject>(file: string, kind: string): Shape {
  const found = objectsIn(file).find((object) => object.kind === kind);
  if (!found) throw new Error(`${file} holds no ${kind}`);
  // The test names the shape of the kind it asked for.
  return found as Shape;
}

/** What a Deployment or CronJob makes pods of; undefined for an object that makes none. */
export function podTemplateOf(object: KubeObject): PodTemplateSpec | undefined {
  const spec = object.spec as
    | { template?: PodTemplateSpec; jobTemplate?: { spec: { template: PodTemplateSpec } } }
    | undefined;
  return spec?.jobTemplate?.spec.template ?? spec?.template;
}

/** The objects that a ConfigMap carries as text, as the CronJob example does. */
export function objectsCarriedBy(object: KubeObject): readonly KubeObject[] {
  if (object.kind !== "ConfigMap") return [];
  const data = (object.data ?? {}) as Record<string, string>;
  return Object.entries(data).flatMap(([key, text]) => (/\.ya?ml$/.test(key) ? objectsOf(text) : []));
}
