import { objectOf, pathOf } from "./kind.ts";
import type { Request } from "./request.ts";
import { objectPath, type Scene } from "./scene.ts";

/** What a well-behaved client never sends: methods, paths, bodies and types that do not belong together. */
export function oddRequest(scene: Scene, name: string): Request {
  const { draw, kind } = scene;
  const all = pathOf(kind);
  const one = objectPath(scene, name);
  const good = objectOf(kind, name, kind.good(draw));
  const text = (value: string) => ({ kind: "text", text: value }) as const;
  const json = (value: unknown) => ({ kind: "json", value }) as const;
  return draw.of<() => Request>([
    () => ({ method: "PUT", path: all, body: json(good) }),
    () => ({ method: "PATCH", path: all, body: json({}) }),
    () => ({ method: "POST", path: one, body: json(good) }),
    () => ({
      method: "POST",
      path: all,
      body: text(draw.of(["{", "", "[]", "1", "null", '"x"', "{}", '{"kind":"x"}', "not: [json"])),
    }),
    () => ({ method: "PUT", path: one, body: text(draw.of(["{", "", "[]", "1", "null", "{}"])) }),
    () => ({
      method: "POST",
      path: all,
      contentType: draw.of(["text/plain", "application/x", "", "application/json; charset=utf-8"]),
      body: json(good),
    }),
    () => ({
      method: "POST",
      path: all,
      contentType: "application/yaml",
      body: text(`kind: ${kind.kind}\nmetadata:\n  name: yaml\n`),
    }),
    () => ({
      method: "POST",
      path: all,
      contentType: "application/yaml",
      body: text(draw.of(["a: [", "- x", "", "just text"])),
    }),
    () => ({ method: "POST", path: all, body: text(JSON.stringify(good).replace(/}$/, ',"kind":"Again"}')) }),
    () => ({
      method: "POST",
      path: `${all}?fieldValidation=Strict`,
      body: text(JSON.stringify(good).replace(/}$/, `,"kind":"${kind.kind}"}`)),
    }),
    () => ({ method: "GET", path: `${one}/nothing/at/all` }),
    () => ({ method: "GET", path: `${one}/` }),
    () => ({ method: "GET", path: `${all}/?labelSelector=story%3D@{ns}` }),
    () => ({ method: "GET", path: all.replace(/@\{ns\}/, "not-there") }),
    () => ({ method: "POST", path: all.replace(/@\{ns\}/, "not-there"), body: json(good) }),
    () => ({ method: "GET", path: all.replace(kind.plural, "nothings") }),
    () => ({ method: "GET", path: all.replace(`/${kind.version}/`, "/v77/") }),
    () => ({ method: "GET", path: all.replace(kind.plural, kind.kind.toLowerCase()) }),
    () => ({ method: "POST", path: pathOf({ ...kind, isNamespaced: !kind.isNamespaced }), body: json(good) }),
    () => ({ method: "GET", path: pathOf({ ...kind, isNamespaced: false }, name) }),
    () => ({ method: "DELETE", path: pathOf({ ...kind, isNamespaced: true }, "ghost") }),
    () => ({ method: "GET", path: `${all}/%20` }),
    () => ({ method: "GET", path: `${all}/Upper_Case` }),
    () => ({ method: "PUT", path: `${all}/Upper_Case`, body: json(objectOf(kind, "Upper_Case", kind.good(draw))) }),
    () => ({ method: "GET", path: one, headers: { accept: "application/nonsense" } }),
    () => ({ method: "POST", path: all, body: json({ ...good, kind: `${kind.kind}List`, items: [] }) }),
    () => ({ method: "POST", path: all, body: json({ kind: "List", apiVersion: "v1", items: [good] }) }),
    // Elsewhere this would take away what the others have made.
    () => ({ method: kind.isNamespaced ? "DELETE" : "GET", path: all.replace(/@\{ns\}/, "not-there") }),
  ])();
}
