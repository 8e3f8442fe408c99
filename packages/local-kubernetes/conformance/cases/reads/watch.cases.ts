import { describe, expect, test } from "vitest";
import { expectCode, needs, type Scope, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject, WatchEvent } from "../../target.ts";

export function watchCases(target: () => ConformanceTarget): void {
  describe("watch", () => {
    const at = scopeOf(target);

    test("from a list's resourceVersion on it shows what happens later, in order, and nothing from before", async () => {
      const scope = at();
      // A controller puts a ConfigMap of its own into every namespace, at any time.
      const [labels, ours] = [{ of: "test" }, "labelSelector=of%3Dtest"];
      await scope.create("configmaps", { metadata: { name: "before", labels } });
      const from = await resourceVersionOf(scope);
      await scope.create("configmaps", { metadata: { name: "later", labels } });
      await merge(scope, "later", { data: { a: "1" } });
      await scope.rest("DELETE", scope.path("configmaps", "later"));
      const seen = await scope.events(`${scope.path("configmaps")}?watch=true&${ours}&resourceVersion=${from}`, 3);
      expect(seen.map(summary)).toEqual(["ADDED later", "MODIFIED later", "DELETED later"]);
    });

    test("events carry whole objects with their kind", async () => {
      const scope = at();
      const { metadata } = await scope.create("configmaps", { metadata: { name: "whole" }, data: { a: "1" } });
      const [event] = await scope.events(watching(scope, "whole"), 1);
      expect(event?.object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", metadata, data: { a: "1" } });
    });

    test("without a resourceVersion it begins with what exists", async () => {
      const scope = at();
      await scope.create("configmaps", { metadata: { name: "exists" } });
      const [event] = await scope.events(watching(scope, "exists"), 1);
      expect(event?.type).toBe("ADDED");
    });

    test("with resourceVersion=0 it begins with what exists", async () => {
      const scope = at();
      await scope.create("configmaps", { metadata: { name: "exists-0" } });
      const [event] = await scope.events(watching(scope, "exists-0", "&resourceVersion=0"), 1);
      expect(event && summary(event)).toBe("ADDED exists-0");
    });

    test("a deletion shows the last state with the resourceVersion of the deletion", async () => {
      const scope = at();
      const { metadata } = await scope.create("configmaps", { metadata: { name: "last" }, data: { a: "1" } });
      await scope.rest("DELETE", scope.path("configmaps", "last"));
      const [event] = await scope.events(watching(scope, "last", `&resourceVersion=${metadata?.resourceVersion}`), 1);
      expect(event).toMatchObject({ type: "DELETED", object: { data: { a: "1" }, metadata: { uid: metadata?.uid } } });
      expect(Number(event?.object.metadata?.resourceVersion)).toBeGreaterThan(Number(metadata?.resourceVersion));
    });

    test("an object that comes to match a label selector is ADDED, one that ceases to is DELETED", async () => {
      const scope = at();
      const { metadata } = await scope.create("configmaps", { metadata: { name: "turncoat", labels: { side: "a" } } });
      await merge(scope, "turncoat", { metadata: { labels: { side: "b" } } });
      await merge(scope, "turncoat", { data: { a: "1" } });
      await merge(scope, "turncoat", { metadata: { labels: { side: "a" } } });
      const query = `?watch=true&labelSelector=side%3Db&resourceVersion=${metadata?.resourceVersion}`;
      const seen = await scope.events(`${scope.path("configmaps")}${query}`, 3);
      expect(seen.map(summary)).toEqual(["ADDED turncoat", "MODIFIED turncoat", "DELETED turncoat"]);
    });

    test("an object that ceases to match is shown as it last matched, with the resourceVersion of the change", async () => {
      const scope = at();
      const created = await scope.create("configmaps", { metadata: { name: "leaver", labels: { team: "x" } } });
      const left = await merge(scope, "leaver", { metadata: { labels: { team: "y" } } });
      const query = `?watch=true&labelSelector=team%3Dx&resourceVersion=${created.metadata?.resourceVersion}`;
      const [event] = await scope.events(`${scope.path("configmaps")}${query}`, 1);
      expect(event).toMatchObject({
        type: "DELETED",
        object: { metadata: { labels: { team: "x" }, resourceVersion: left.metadata?.resourceVersion } },
      });
    });

    test("an update that changes nothing makes no event", async () => {
      const scope = at();
      const object = await scope.create("configmaps", { metadata: { name: "still" } });
      await scope.rest("PUT", scope.path("configmaps", "still"), object);
      await merge(scope, "still", { data: { a: "1" } });
      const from = `&resourceVersion=${object.metadata?.resourceVersion}`;
      const [event] = await scope.events(watching(scope, "still", from), 1);
      expect(event?.object.data).toEqual({ a: "1" });
    });

    test("timeoutSeconds ends it", async () => {
      const scope = at();
      const seen = await scope.events(watching(scope, "none", "&timeoutSeconds=1"), 1);
      expect(seen).toEqual([]);
    });

    test("bookmarks come to those who ask, and carry nothing but a resourceVersion", async () => {
      const scope = at();
      const query = "&resourceVersion=0&timeoutSeconds=3&allowWatchBookmarks=true";
      const [event] = await scope.events(watching(scope, "no-such", query), 1);
      expect(event).toMatchObject({
        type: "BOOKMARK",
        object: { kind: "ConfigMap", metadata: { resourceVersion: expect.stringMatching(/^\d+$/) } },
      });
      expect(event?.object.metadata?.name).toBeUndefined();
    });

    test("a pod that is bound to a node is ADDED to a watch of that node's pods", async () => {
      const scope = at();
      const spec = { schedulerName: "none", containers: [{ name: "a", image: "a" }] };
      const { metadata } = await scope.create("pods", { metadata: { name: "bound" }, spec });
      const node = `node-of-${scope.namespace}`;
      const binding = { metadata: { name: "bound" }, target: { apiVersion: "v1", kind: "Node", name: node } };
      expectCode(201, await scope.rest("POST", scope.path("pods", "bound/binding"), binding));
      const query = `watch=1&fieldSelector=spec.nodeName%3D${node}&resourceVersion=${metadata?.resourceVersion}`;
      const [event] = await scope.events(`/api/v1/pods?${query}`, 1);
      expect(event && summary(event)).toBe("ADDED bound");
      await scope.rest("DELETE", scope.path("pods", "bound"), { gracePeriodSeconds: 0 });
    });

    test("without a resourceVersion it goes on with changes after what exists", async () => {
      const scope = at();
      await scope.create("configmaps", { metadata: { name: "goes-on" } });
      const types: string[] = [];
      for await (const { type } of scope.target.watch(watching(scope, "goes-on"), AbortSignal.timeout(20_000))) {
        types.push(type);
        if (type === "ADDED") await merge(scope, "goes-on", { data: { a: "1" } });
        if (type === "MODIFIED") await scope.rest("DELETE", scope.path("configmaps", "goes-on"));
        if (type === "DELETED") break;
      }
      expect(types).toEqual(["ADDED", "MODIFIED", "DELETED"]);
    });

    test("a watch of all namespaces sees each", async () => {
      const scope = at();
      const from = await resourceVersionOf(scope);
      await scope.create("configmaps", { metadata: { name: "seen-from-afar", labels: { afar: scope.namespace } } });
      const selector = `labelSelector=afar%3D${scope.namespace}`;
      const [event] = await scope.events(`/api/v1/configmaps?watch=1&${selector}&resourceVersion=${from}`, 1);
      expect(event?.object.metadata?.namespace).toBe(scope.namespace);
    });

    test("the old path /watch/ works for a single object", async () => {
      const scope = at();
      await scope.create("configmaps", { metadata: { name: "old-path" } });
      const path = `/api/v1/watch/namespaces/${scope.namespace}/configmaps/old-path`;
      const [event] = await scope.events(path, 1);
      expect(event && summary(event)).toBe("ADDED old-path");
    });

    test("its events can be tables", async () => {
      const scope = at();
      await scope.create("configmaps", { metadata: { name: "tabled" } });
      const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
      const path = `${watching(scope, "tabled")}&timeoutSeconds=1`;
      const { text } = await scope.rest("GET", path, undefined, { headers: { accept } });
      const event = JSON.parse(text.split("\n")[0] ?? "") as WatchEvent;
      expect(event).toMatchObject({
        type: "ADDED",
        object: { kind: "Table", rows: [{ cells: ["tabled", 0, expect.anything()] }] },
      });
    });

    test("sendInitialEvents streams what exists and then a bookmark that marks the end", async (context) => {
      needs(context, target(), "streaming list");
      const scope = at();
      await scope.create("configmaps", { metadata: { name: "streamed" } });
      const query = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
      const seen = await scope.events(watching(scope, "streamed", query), 2);
      expect(seen.map(({ type }) => type)).toEqual(["ADDED", "BOOKMARK"]);
      expect(seen[1]?.object.metadata?.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
    });
  });
}

async function merge(scope: Scope, name: string, patch: KubeObject): Promise<KubeObject> {
  return expectCode(200, await scope.rest("PATCH", scope.path("configmaps", name), patch));
}

async function resourceVersionOf(scope: Scope): Promise<string | undefined> {
  const { body } = await scope.rest("GET", scope.path("configmaps"));
  return body.metadata?.resourceVersion;
}

function watching(scope: Scope, name: string, query = ""): string {
  return `${scope.path("configmaps")}?watch=true&fieldSelector=metadata.name%3D${name}${query}`;
}

function summary({ type, object }: WatchEvent): string {
  return `${type} ${object.metadata?.name}`;
}
