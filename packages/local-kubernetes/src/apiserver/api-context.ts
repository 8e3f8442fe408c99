import type { EtcdClient } from "@etcd-operator/etcd-client";
import type { Authorizer } from "./authorization/authorizer.ts";
import type { Admission } from "./kinds/admission.ts";
import type { Registry } from "./kinds/registry.ts";
import type { ObjectStore } from "./storage/object-store.ts";
import type { WatchCaches } from "./storage/watch-caches.ts";
import type { ServiceAccountTokens } from "./tokens/service-account-tokens.ts";

/** What every handler works with. */
export interface ApiContext {
  readonly etcd: EtcdClient;
  readonly store: ObjectStore;
  readonly caches: WatchCaches;
  readonly registry: Registry;
  readonly admission: Admission;
  readonly tokens: ServiceAccountTokens;
  readonly authorizer: Authorizer;
}
