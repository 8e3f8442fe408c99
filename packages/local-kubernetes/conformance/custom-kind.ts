import { randomBytes } from "node:crypto";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll } from "vitest";
import { expectCode } from "./scope.ts";
import type { ConformanceTarget, KubeObject } from "./target.ts";

export const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** A schema of OpenAPI v3 as CRDs hold it. */
export type Schema = Readonly<Record<string, unknown>>;

interface KindOptions {
  /** Of the whole object; its type is "object" unless it says otherwise. */
  readonly schema?: Schema;
  readonly names?: Readonly<Record<string, unknown>>;
  /** More of the version: subresources, additionalPrinterColumns. */
  readonly version?: Readonly<Record<string, unknown>>;
  readonly scope?: "Namespaced" | "Cluster";
}

export interface CustomKind {
  readonly group: string;
  /** Path of its CRD. */
  readonly crd: string;
  /** As Scope takes it, such as "x.example.com/v1/widgets". */
  readonly resource: string;
  /** An object of it. */
  widget(name: string, rest?: KubeObject): KubeObject;
}

const wanted: KubeObject[] = [];

/** Gives a group of cases a kind "Widget" in a group of its own, served from its first case to its last. */
export function customKind(target: () => ConformanceTarget, options: KindOptions = {}): CustomKind {
  const kind = kindOf(randomGroup());
  wanted.push(definition(kind.group, options));
  beforeAll(() => served(target(), `/apis/${kind.resource}`));
  afterAll(async () => {
    await target().rest("DELETE", kind.crd);
  });
  return kind;
}

/** Creates the kinds of all groups of cases together: a real server delays what is first written to each by 2 s. */
export async function defineCustomKinds({ rest }: ConformanceTarget): Promise<void> {
  for (const crd of wanted.splice(0)) expectCode(201, await rest("POST", crds, crd));
}

export function kindOf(group: string): CustomKind {
  return {
    group,
    crd: `${crds}/widgets.${group}`,
    resource: `${group}/v1/widgets`,
    widget: (name, rest = {}) => ({ apiVersion: `${group}/v1`, kind: "Widget", metadata: { name }, ...rest }),
  };
}

/** A group that no other case has. */
export function randomGroup(): string {
  return `g${randomBytes(4).toString("hex")}.example.com`;
}

/** A CRD of the kind "Widget" with one version, v1. */
export function definition(group: string, options: KindOptions = {}): KubeObject & { spec: Record<string, unknown> } {
  const { schema = {}, names = {}, version = {}, scope = "Namespaced" } = options;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope,
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList", ...names },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", ...schema } },
          ...version,
        },
      ],
    },
  };
}

/** Creates a CRD and returns once its objects can be listed. */
export async function define(target: ConformanceTarget, group: string, options: KindOptions = {}): Promise<void> {
  expectCode(201, await target.rest("POST", crds, definition(group, options)));
  await served(target, `/apis/${group}/v1/widgets`);
}

/** Waits until a path of custom resources is served. */
export async function served(target: ConformanceTarget, path: string): Promise<void> {
  const answers = async () => (await target.rest("GET", path)).code === 200;
  await until(answers, { what: `${path} to be served`, everyMs: 20 });
}
