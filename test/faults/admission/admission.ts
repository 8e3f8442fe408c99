import type { KubeObject } from "@etcd-operator/kubernetes-client";
import { BUILTIN_RESOURCES } from "@etcd-operator/local-kubernetes/apiserver/kinds/builtin-kinds.ts";
import { patcher } from "@etcd-operator/local-kubernetes/apiserver/verbs/patch.ts";
import { ADMIN } from "../world/api-world.ts";
import type { Answered, Ask, Asked } from "../world/in-process-carrier.ts";
import type { View } from "../world/world.ts";
import type { Refusal } from "./refusals.ts";
import type { Mutation, Webhook } from "./webhook.ts";

const KINDS = new Set(["pods", "services", "persistentvolumeclaims", "secrets", "poddisruptionbudgets"]);
const TRIES = 10;
/** No write is repeated as often where all is healthy. */
const LOOP = 20;
const SLOW_MS = 1_000;

/** Stands where the API server calls webhooks, and counts what it changed and what it refused. */
export class Admission {
  webhook: Webhook | undefined;
  refusal: Refusal | undefined;
  changed = 0;
  refused = 0;

  readonly #asked = new Map<string, number>();

  readonly view: View = (ask) => (asked) => this.#admit(ask, asked);

  async #admit(ask: Ask, asked: Asked): Promise<Answered> {
    const plural = pluralOf(asked.path);
    if (!KINDS.has(plural)) return ask(asked);
    await this.#slowLoopsDown(asked);
    const name = nameOf(asked);
    if (this.refusal?.isAbout(asked.method, plural)) {
      this.refused += 1;
      return answer(this.refusal.code, this.refusal.words(plural, name));
    }
    const { onCreate, onUpdate } = this.webhook ?? {};
    if (asked.method === "POST" && onCreate)
      return ask({ ...asked, body: this.#changed(onCreate, plural, objectIn(asked)) });
    if (asked.method === "PATCH" && onUpdate) return this.#patched(ask, asked, plural, onUpdate);
    return ask(asked);
  }

  /** A loop whose writes take no time would keep the clock from going on, and never be reported. */
  async #slowLoopsDown({ method, path }: Asked): Promise<void> {
    const times = (this.#asked.get(`${method} ${path}`) ?? 0) + 1;
    this.#asked.set(`${method} ${path}`, times);
    if (method !== "GET" && times > LOOP) await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
  }

  /** The object as the patch leaves it goes through the webhook before it is stored, so it is never seen in between. */
  async #patched(ask: Ask, asked: Asked, plural: string, onUpdate: Mutation): Promise<Answered> {
    const headers = { ...asked.headers, authorization: ADMIN };
    const [path = ""] = asked.path.split("?");
    const apply = patcher(
      { contentType: asked.headers["content-type"] ?? "", text: asked.body ?? "" },
      typeNameOf(plural),
    );
    const isOfVersion = objectIn(asked).metadata?.resourceVersion !== undefined;
    for (let tries = 0; ; tries += 1) {
      const found = await ask({ ...asked, method: "GET", path, headers, body: undefined });
      if (found.statusCode !== 200) return ask(asked);
      const object = JSON.parse(await textOf(found)) as KubeObject;
      const body = this.#changed(onUpdate, plural, apply(object as never) as KubeObject);
      const written = await ask({
        ...asked,
        method: "PUT",
        path,
        headers: { ...headers, "content-type": "application/json" },
        body,
      });
      if (written.statusCode !== 409 || isOfVersion || tries >= TRIES) return written;
    }
  }

  #changed(mutation: Mutation, plural: string, object: KubeObject): string {
    const [before, after] = [JSON.stringify(object), JSON.stringify(mutation(plural, object))];
    if (before !== after) this.changed += 1;
    return after;
  }
}

function pluralOf(path: string): string {
  return /\/namespaces\/[^/]+\/([^/?]+)(?:\/[^/?]+)?(?:\?|$)/.exec(path)?.[1] ?? "";
}

function nameOf({ path, body }: Asked): string {
  const [, name] = /\/namespaces\/[^/]+\/[^/?]+\/([^/?]+)/.exec(path) ?? [];
  return name ?? objectIn({ body }).metadata?.name ?? "";
}

function objectIn({ body }: Pick<Asked, "body">): KubeObject {
  return JSON.parse(body ?? "{}") as KubeObject;
}

function typeNameOf(plural: string): string | undefined {
  return BUILTIN_RESOURCES.find((resource) => resource.plural === plural)?.codec.typeName;
}

async function textOf({ body }: Answered): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function answer(code: number, message: string): Answered {
  const reason = code === 403 ? "Forbidden" : "InternalError";
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason, message, code };
  const body = async function* () {
    yield Buffer.from(JSON.stringify(status));
  };
  return { statusCode: code, headers: { "content-type": "application/json" }, body: body() };
}
