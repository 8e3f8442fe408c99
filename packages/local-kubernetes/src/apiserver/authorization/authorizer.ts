import { ApiError } from "../api-error.ts";
import type { Registry } from "../kinds/registry.ts";
import type { KubeObject } from "../kube-object.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { WatchCache } from "../storage/watch-cache.ts";
import { type Attributes, ruleAllows } from "./policy-rule.ts";
import { type Grant, RightsIndex, type RoleObjects, type Subject } from "./rights-index.ts";

/** Its members may do everything, whatever the roles say. */
export const MASTERS = "system:masters";

export const RBAC_GROUP = "rbac.authorization.k8s.io";

export interface Decision {
  readonly isAllowed: boolean;
  /** By which binding, or what kept a binding from counting; may be empty. */
  readonly reason: string;
}

const ALLOWED: Decision = { isAllowed: true, reason: "" };

const PLURALS: Readonly<Record<keyof RoleObjects, string>> = {
  roles: "roles",
  clusterRoles: "clusterroles",
  roleBindings: "rolebindings",
  clusterRoleBindings: "clusterrolebindings",
};

type RoleCache = Pick<WatchCache, "ready" | "listen" | "revision" | "reaches" | "under">;

interface Followed {
  readonly cache: RoleCache;
  readonly objects: () => KubeObject[];
}

interface AuthorizerNeeds {
  readonly registry: Pick<Registry, "findAny">;
  readonly store: Pick<ObjectStore, "revision">;
  readonly caches: { of(prefix: string): RoleCache };
}

/** Says who may do what, by the roles and bindings of the caches. */
export class Authorizer {
  readonly #store: Pick<ObjectStore, "revision">;
  readonly #followed: Readonly<Record<keyof RoleObjects, Followed>>;
  readonly #unfollowed: Set<RoleCache>;
  readonly #beginning = new Map<RoleCache, Promise<void>>();
  #index: RightsIndex | undefined;
  #writes = 0;
  #seenWrites = 0;
  #catchingUp: Promise<void> | undefined;

  constructor(needs: AuthorizerNeeds) {
    this.#store = needs.store;
    this.#followed = {
      roles: followed(needs, PLURALS.roles),
      clusterRoles: followed(needs, PLURALS.clusterRoles),
      roleBindings: followed(needs, PLURALS.roleBindings),
      clusterRoleBindings: followed(needs, PLURALS.clusterRoleBindings),
    };
    this.#unfollowed = new Set(Object.values(this.#followed).map(({ cache }) => cache));
  }

  /** Called when a role or binding was written: it counts for every request from now on. */
  rolesWritten(): void {
    this.#writes += 1;
  }

  async decide(subject: Subject, asked: Attributes): Promise<Decision> {
    if (isMaster(subject)) return ALLOWED;
    const index = await this.#current();
    const errors: string[] = [];
    for (const { rules, source, missing } of index.grantsOf(subject, namespaceOf(asked))) {
      if (rules.some((rule) => ruleAllows(rule, asked))) {
        return { isAllowed: true, reason: `RBAC: allowed by ${source}` };
      }
      if (missing) errors.push(missingRole(missing));
    }
    return { isAllowed: false, reason: errors.length === 0 ? "" : `RBAC: ${aggregated(errors)}` };
  }

  async #current(): Promise<RightsIndex> {
    for (const cache of this.#unfollowed) await this.#follow(cache);
    while (this.#seenWrites < this.#writes) {
      this.#catchingUp ??= this.#catchUp().finally(() => {
        this.#catchingUp = undefined;
      });
      await this.#catchingUp;
    }
    this.#index ??= new RightsIndex(this.#objects());
    return this.#index;
  }

  /** One listener for each cache, however many come at once. */
  #follow(cache: RoleCache): Promise<void> {
    const known = this.#beginning.get(cache);
    if (known !== undefined) return known;
    const begun = this.#listen(cache).finally(() => this.#beginning.delete(cache));
    this.#beginning.set(cache, begun);
    return begun;
  }

  async #listen(cache: RoleCache): Promise<void> {
    await cache.ready();
    this.#index = undefined;
    const listener = {
      changed: () => {
        this.#index = undefined;
      },
      lost: () => {
        this.#unfollowed.add(cache);
      },
    };
    if (cache.listen(listener, cache.revision)) this.#unfollowed.delete(cache);
  }

  async #catchUp(): Promise<void> {
    const writes = this.#writes;
    const newest = await this.#store.revision();
    const caches = Object.values(this.#followed).map(({ cache }) => cache);
    const reached = await Promise.all(caches.map((cache) => cache.reaches(newest)));
    if (reached.includes(false)) throw new ApiError(504, "Timeout", "Timeout: the store's changes are late");
    this.#seenWrites = writes;
  }

  #objects(): RoleObjects {
    const { roles, clusterRoles, roleBindings, clusterRoleBindings } = this.#followed;
    return {
      roles: roles.objects(),
      clusterRoles: clusterRoles.objects(),
      roleBindings: roleBindings.objects(),
      clusterRoleBindings: clusterRoleBindings.objects(),
    };
  }
}

export function isMaster({ groups }: Subject): boolean {
  return groups.includes(MASTERS);
}

/** One error as it is, several in brackets. */
export function aggregated(errors: readonly string[]): string {
  const [first = "", ...others] = new Set(errors);
  return others.length === 0 ? first : `[${[first, ...others].join(", ")}]`;
}

function missingRole({ kind, name }: NonNullable<Grant["missing"]>): string {
  return `${kind}.${RBAC_GROUP} "${name}" not found`;
}

function namespaceOf(asked: Attributes): string {
  return asked.kind === "resource" ? asked.namespace : "";
}

function followed({ registry, caches }: AuthorizerNeeds, plural: string): Followed {
  const resource = registry.findAny(RBAC_GROUP, plural);
  if (!resource) throw new Error(`no resource ${plural}`);
  const { prefix, codec } = resource;
  const cache = caches.of(prefix);
  return { cache, objects: () => cache.under(prefix).map((entry) => codec.read(entry)) };
}
