import type { EtcdClient } from "@etcd-operator/etcd-client";
import type { ApiContext } from "./api-context.ts";
import { Authorizer } from "./authorization/authorizer.ts";
import { cachedAdmission } from "./cached-admission.ts";
import { BUILTIN_RESOURCES } from "./kinds/builtin-kinds.ts";
import { Registry } from "./kinds/registry.ts";
import { ObjectStore } from "./storage/object-store.ts";
import { WatchCaches } from "./storage/watch-caches.ts";
import { ServiceAccountTokens } from "./tokens/service-account-tokens.ts";

/** The API on a store, without anything that listens. */
export async function apiOn(etcd: EtcdClient, { serviceCidr }: { readonly serviceCidr: string }): Promise<ApiContext> {
  const store = new ObjectStore(etcd);
  const caches = new WatchCaches(store, etcd);
  const registry = new Registry(BUILTIN_RESOURCES);
  const admission = cachedAdmission({ registry, store, caches, serviceCidr });
  const tokens = await ServiceAccountTokens.open(store);
  const authorizer = new Authorizer({ registry, store, caches });
  return { etcd, store, caches, registry, admission, tokens, authorizer };
}
