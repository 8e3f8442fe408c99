import { kubectl } from "@etcd-operator/testing/kube/kubectl.ts";
import type { CommandResult } from "@etcd-operator/testing/process/run-command.ts";
import { beforeAll, expect, type TestContext } from "vitest";
import type { Answer, ConformanceTarget, Feature, KubeObject, Rest, WatchEvent } from "./target.ts";

/** What a case works with: the target, and a namespace that its group of cases has for itself. */
export interface Scope {
  readonly target: ConformanceTarget;
  readonly rest: Rest;
  readonly namespace: string;
  /** Of "configmaps" or "apps/v1/deployments", in the namespace. */
  path(resource: string, name?: string): string;
  /** Creates an object, which must succeed, and returns it. */
  create(resource: string, object: KubeObject): Promise<KubeObject>;
  get(resource: string, name: string): Promise<KubeObject>;
  kubectl(args: readonly string[], input?: string): Promise<CommandResult>;
  /** Runs kubectl, which must succeed, and returns its output. */
  kubectlOk(args: readonly string[], input?: string): Promise<string>;
  /** The first `count` events of a watch. */
  events(path: string, count: number): Promise<WatchEvent[]>;
}

const eventTimeoutMs = 20_000;

/** Gives a group of cases a namespace of its own. */
export function scopeOf(target: () => ConformanceTarget): () => Scope {
  let scope: Scope | undefined;
  beforeAll(async () => {
    scope = scopeIn(target(), await target().freshNamespace());
  });
  return () => {
    if (!scope) throw new Error("the namespace of these cases was not made");
    return scope;
  };
}

export function scopeIn(target: ConformanceTarget, namespace: string): Scope {
  const { rest } = target;
  const path = (resource: string, name?: string) => pathOf(namespace, resource, name);
  // What kubectl remembers of a server must not name the kinds of cases that are over.
  const memory = `--cache-dir=${target.adminKubeconfig}-cache-${namespace}`;
  const run = (args: readonly string[], input = "") =>
    kubectl(target.adminKubeconfig, ["--namespace", namespace, memory, ...args], { input });
  return {
    target,
    rest,
    namespace,
    path,
    create: async (resource, object) => expectCode(201, await rest("POST", path(resource), object)),
    get: async (resource, name) => expectCode(200, await rest("GET", path(resource, name))),
    kubectl: run,
    async kubectlOk(args, input) {
      const { code, stdout, stderr } = await run(args, input);
      expect(code, `kubectl ${args.join(" ")}: ${stderr}`).toBe(0);
      return stdout;
    },
    events: (watched, count) => firstEvents(target, watched, count),
  };
}

/** Returns the body of an answer that must have the given code. */
export function expectCode<Body>(code: number, answer: Answer<Body>): Body {
  expect(answer.code, answer.text).toBe(code);
  return answer.body;
}

/** Skips a case on targets that leave the feature out. */
export function needs(context: TestContext, target: ConformanceTarget, feature: Feature): void {
  context.skip(target.lacks.has(feature), `no ${feature} here`);
}

/** Skips a case where no controllers run beside the API server. */
export function needsControllers(context: TestContext, target: ConformanceTarget): void {
  context.skip(!target.hasControllers, "no controllers here");
}

function pathOf(namespace: string, resource: string, name: string | undefined): string {
  const parts = resource.split("/");
  const plural = parts.pop();
  const base = parts.length === 0 ? "/api/v1" : `/apis/${parts.join("/")}`;
  return `${base}/namespaces/${namespace}/${plural}${name === undefined ? "" : `/${name}`}`;
}

async function firstEvents(target: ConformanceTarget, path: string, count: number): Promise<WatchEvent[]> {
  const seen: WatchEvent[] = [];
  for await (const event of target.watch(path, AbortSignal.timeout(eventTimeoutMs))) {
    if (seen.push(event) === count) break;
  }
  return seen;
}
