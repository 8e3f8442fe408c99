import type { ApiContext } from "../api-context.ts";
import { methodNotAllowed, unknownResource } from "../api-error.ts";
import { AGGREGATED, aggregatedDiscovery } from "../discovery/aggregated-discovery.ts";
import { coreVersions, groupList, groupsOf, oneGroup, resourceList } from "../discovery/discovery.ts";
import type { OpenApi } from "../openapi/open-api.ts";
import { SWAGGER_PROTOBUF } from "../openapi/swagger-protobuf.ts";
import { ISSUER } from "../tokens/service-account-tokens.ts";
import { representationOf } from "./accept.ts";
import type { Exchange } from "./exchange.ts";
import { parsePath, type RequestPath, type ResourcePath } from "./request-path.ts";
import { handleResource } from "./resource-handler.ts";
import { handleReview, REVIEWS } from "./reviews.ts";

export interface Routes {
  readonly api: ApiContext;
  readonly openApi: OpenApi;
  readonly serverAddress: string;
  /** Takes requests for pods/log; everything else of a pod is in the store. */
  readonly readLog: (exchange: Exchange, path: ResourcePath) => Promise<void>;
}

const VERSION = {
  major: "1",
  minor: "34",
  gitVersion: "v1.34.0+local",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "",
  platform: `linux/${process.arch === "x64" ? "amd64" : process.arch}`,
};

/** Finds out what a request is about, and who answers it. */
export async function route(routes: Routes, exchange: Exchange): Promise<void> {
  const path = parsePath(exchange.url.pathname);
  if (path.kind === "resource") return routeResource(routes, exchange, path);
  if (exchange.method !== "GET" && exchange.method !== "HEAD") throw methodNotAllowed();
  if (path.kind === "other") return routeOther(routes, exchange, path.path);
  return discover(routes, exchange, path);
}

async function routeResource(routes: Routes, exchange: Exchange, path: ResourcePath): Promise<void> {
  const { registry } = routes.api;
  const { group, version, plural, subresource } = path;
  const review = REVIEWS.find((each) => each.group === group && each.plural === plural && version === "v1");
  if (path.isWatch && review) throw unknownResource();
  if (review) return handleReview(routes.api, exchange, review, path);
  if (group !== "" && !registry.hasGroup(group)) return exchange.text404();
  const isLog = group === "" && plural === "pods" && subresource === "log";
  if (isLog && !path.isWatch) return routes.readLog(exchange, path);
  return handleResource(routes.api, exchange, path);
}

async function discover(
  { api, serverAddress }: Routes,
  exchange: Exchange,
  path: Exclude<RequestPath, ResourcePath>,
): Promise<void> {
  const { registry } = api;
  const isAggregated = representationOf(exchange.request.headers.accept) === "discovery";
  switch (path.kind) {
    case "core-versions":
      if (isAggregated) return exchange.json(200, aggregatedDiscovery(registry, "core"), AGGREGATED);
      return exchange.json(200, coreVersions(serverAddress));
    case "groups":
      if (isAggregated) return exchange.json(200, aggregatedDiscovery(registry, "groups"), AGGREGATED);
      return exchange.json(200, groupList(registry));
    case "group": {
      const group = oneGroup(registry, path.group);
      return group ? exchange.json(200, group) : exchange.text404();
    }
    case "resources": {
      const list = resourceList(registry, path.group, path.version);
      if (list) return exchange.json(200, list);
      if (!groupsOf(registry).some(({ name }) => name === path.group)) return exchange.text404();
      throw unknownResource();
    }
    case "other":
      throw unknownResource();
  }
}

async function routeOther({ api, openApi, serverAddress }: Routes, exchange: Exchange, path: string): Promise<void> {
  if (path === "/version") return exchange.json(200, VERSION);
  if (path === "/openapi/v2") {
    const isProtobuf = exchange.request.headers.accept?.includes("proto-openapi.spec.v2") ?? false;
    if (isProtobuf) return exchange.bytes(200, openApi.swagger("protobuf"), SWAGGER_PROTOBUF);
    return exchange.bytes(200, openApi.swagger("json"));
  }
  if (path === "/openapi/v3") return exchange.json(200, openApi.index());
  if (path.startsWith("/openapi/v3/")) {
    const document = openApi.document(path.slice("/openapi/v3/".length));
    return document === undefined ? exchange.text404() : exchange.bytes(200, Buffer.from(document));
  }
  if (path === "/.well-known/openid-configuration") return exchange.json(200, issuerDocument(serverAddress));
  if (path === "/openid/v1/jwks") return exchange.json(200, { keys: [api.tokens.key.published] }, JWKS);
  if (path === "/") return exchange.json(200, { paths: rootPaths(api) });
  exchange.text404();
}

const JWKS = "application/jwk-set+json";

/** Where others find out how to check the tokens of ServiceAccounts. */
function issuerDocument(serverAddress: string): object {
  return {
    issuer: ISSUER,
    jwks_uri: `https://${serverAddress}/openid/v1/jwks`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  };
}

function rootPaths({ registry }: ApiContext): string[] {
  const groups = groupsOf(registry).flatMap(({ name, versions }) =>
    name === "" ? ["/api", "/api/v1"] : [`/apis/${name}`, ...versions.map((version) => `/apis/${name}/${version}`)],
  );
  return [
    ...groups,
    "/.well-known/openid-configuration",
    "/apis",
    "/healthz",
    "/livez",
    "/openapi/v3",
    "/openid/v1/jwks",
    "/readyz",
    "/version",
  ].sort();
}
