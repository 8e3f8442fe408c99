import type { ApiContext } from "../api-context.ts";
import { methodNotAllowed, notFound, notSupportedOn, unknownResource } from "../api-error.ts";
import type { Resource } from "../kinds/resource.ts";
import type { JsonObject } from "../kube-object.ts";
import { requireUpgrade } from "../kubelet/exec-place.ts";
import type { GroupVersionKind } from "../storage/stored-json.ts";
import { requestToken } from "../tokens/token-request.ts";
import { bind } from "../verbs/binding.ts";
import { evict } from "../verbs/eviction.ts";
import { checkPatchType, patchObject } from "../verbs/patch.ts";
import { readRequest } from "../verbs/read-body.ts";
import { patchScale, readScale, replaceScale } from "../verbs/scale.ts";
import type { Target } from "../verbs/target.ts";
import { replace } from "../verbs/update.ts";
import type { Exchange } from "./exchange.ts";
import { answer, optionsOf, readObject } from "./replies.ts";

type SubTarget = Target & { readonly subresource: string };

/** What stands behind the name of an object: status, scale, and the few that only some kinds have. */
export async function handleSubresource(api: ApiContext, exchange: Exchange, target: SubTarget): Promise<void> {
  const known = target.resource.subresources.find(({ name }) => name === target.subresource);
  if (!known && target.resource.isCustom) throw notFound(target.resource, target.name);
  if (!known) throw unknownResource();
  checkVerb(exchange, target.resource);
  if (target.subresource === "exec" && ["GET", "POST"].includes(exchange.method)) {
    return requireUpgrade(api, target, exchange.query);
  }
  switch (target.subresource) {
    case "status":
    case "finalize":
      return handleStatus(api, exchange, target);
    case "scale":
      return handleScale(api, exchange, target);
    case "token":
      return handleToken(api, exchange, target);
    case "binding":
    case "eviction":
      return handleAction(api, exchange, target);
    default:
      throw methodNotAllowed();
  }
}

/** Custom resources say which verb it is that their subresources do not have. */
function checkVerb({ method }: Exchange, resource: Resource): void {
  const verb = { POST: "create", DELETE: "delete" }[method];
  if (resource.isCustom && verb !== undefined) throw notSupportedOn(verb, resource);
}

async function handleStatus(api: ApiContext, exchange: Exchange, target: SubTarget): Promise<void> {
  const { resource } = target;
  switch (exchange.method) {
    case "GET":
      return readObject(api, exchange, target);
    case "PUT": {
      const body = await exchange.body(resource.kind);
      return answer(exchange, 200, resource, await replace(api, target, body, optionsOf(exchange, "UpdateOptions")));
    }
    case "PATCH": {
      checkPatchType(target.resource, exchange.contentType);
      const patch = { contentType: exchange.contentType, text: await exchange.text() };
      return answer(
        exchange,
        200,
        resource,
        await patchObject(api, target, patch, optionsOf(exchange, "PatchOptions")),
      );
    }
    default:
      throw methodNotAllowed();
  }
}

async function handleScale(api: ApiContext, exchange: Exchange, target: SubTarget): Promise<void> {
  switch (exchange.method) {
    case "GET":
      return exchange.json(200, await readScale(api, target));
    case "PUT": {
      const options = optionsOf(exchange, "UpdateOptions");
      return exchange.json(200, await replaceScale(api, target, await exchange.body("Scale"), options));
    }
    case "PATCH": {
      checkPatchType(target.resource, exchange.contentType);
      const patch = { contentType: exchange.contentType, text: await exchange.text() };
      const options = optionsOf(exchange, "PatchOptions");
      return exchange.json(200, await patchScale(api, target, patch, options));
    }
    default:
      throw methodNotAllowed();
  }
}

const TOKEN_REQUEST = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };

async function handleToken(api: ApiContext, exchange: Exchange, target: SubTarget): Promise<void> {
  if (exchange.method !== "POST") throw methodNotAllowed();
  const options = optionsOf(exchange, "CreateOptions");
  const body = readRequest(TOKEN_REQUEST, await exchange.body(TOKEN_REQUEST.kind), options);
  exchange.json(201, await requestToken(api, target, body));
}

const BINDING = { group: "", version: "v1", kind: "Binding" };
const EVICTION = { group: "policy", version: "v1", kind: "Eviction" };

/** Clients of old speak of an earlier version, in which it was the same. */
function evictionIn({ apiVersion }: JsonObject): GroupVersionKind {
  return apiVersion === "policy/v1beta1" ? { ...EVICTION, version: "v1beta1" } : EVICTION;
}

async function requireNamespace(api: ApiContext, name: string): Promise<void> {
  if (await api.admission.find("", "namespaces", name)) return;
  throw notFound({ group: "", plural: "namespaces" }, name);
}

async function handleAction(api: ApiContext, exchange: Exchange, target: SubTarget): Promise<void> {
  if (exchange.method !== "POST") throw methodNotAllowed();
  const sent = await exchange.body(target.subresource === "binding" ? BINDING.kind : EVICTION.kind);
  const options = optionsOf(exchange, "CreateOptions");
  const body = readRequest(target.subresource === "binding" ? BINDING : evictionIn(sent), sent, options);
  await requireNamespace(api, target.namespace ?? "");
  if (target.subresource === "binding") await bind(api, target, body, options);
  else await evict(api, target, body, options);
  exchange.json(201, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 });
}
