import type { Logger } from "@etcd-operator/controller-runtime";
import type { KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import { Backoff, type Clock, hasCode, type KubernetesError, pause, resources } from "@etcd-operator/kubernetes-client";
import type { CustomResourceDefinition } from "kubernetes-types/apiextensions/v1.d.ts";
import { customResourceDefinition } from "../api/crd/custom-resource-definition.ts";
import { GROUP } from "../api/group.ts";
import { type Kind, kinds } from "../api/kinds.ts";
import { crdStep } from "./crd-step.ts";
import { OperatorError } from "./operator-error.ts";

const { customResourceDefinitions } = resources;
const BACKOFF = { firstMs: 50, lastMs: 5_000 };

export interface CreateCrdsOptions {
  readonly client: Pick<KubeClient, "get" | "create" | "update">;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Creates our CRDs or brings older ones up to date; returns when they are established, or the signal aborts. */
export async function createCrds(options: CreateCrdsOptions, signal: AbortSignal): Promise<void> {
  await Promise.all(Object.values<Kind>(kinds).map((kind) => new CrdCreation(kind, options).run(signal)));
}

class CrdCreation {
  readonly #options: CreateCrdsOptions;
  readonly #wanted: CustomResourceDefinition;
  readonly #name: string;
  readonly #logger: Logger;
  readonly #backoff: Backoff;

  constructor(kind: Kind, options: CreateCrdsOptions) {
    this.#options = options;
    this.#wanted = customResourceDefinition(kind);
    this.#name = `${kind.plural}.${GROUP}`;
    this.#logger = options.logger.child({ crd: this.#name });
    this.#backoff = new Backoff({ ...BACKOFF, random: options.random });
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if ((await this.#step(signal)) === "ready") return;
      } catch (error) {
        if (signal.aborted) return;
        this.#judge(error);
      }
      await pause(this.#options.clock, this.#backoff.nextMs(), signal);
    }
  }

  async #step(signal: AbortSignal): Promise<"ready" | "again"> {
    const { client } = this.#options;
    const step = crdStep(this.#wanted, await this.#read(signal));
    switch (step.kind) {
      case "create":
        await client.create(customResourceDefinitions, this.#wanted, { signal });
        this.#logger.info("CRD created");
        return "again";
      case "update":
        await client.update(customResourceDefinitions, step.object, { signal });
        this.#logger.info({ from: step.from }, "CRD updated");
        return "again";
      case "wait":
        this.#logger.debug(`waiting for ${step.for}`);
        return "again";
      case "ready":
        if (step.left) this.#logger.warn(`CRD: ${step.left}`);
        return "ready";
    }
  }

  async #read(signal: AbortSignal): Promise<Stored<CustomResourceDefinition> | undefined> {
    try {
      return await this.#options.client.get(customResourceDefinitions, { name: this.#name }, { signal });
    } catch (error) {
      if (hasCode(error, "not-found")) return undefined;
      throw error;
    }
  }

  /** Conflicts and transient failures are retried; anything else needs an administrator. */
  #judge(error: unknown): void {
    if (hasCode(error, "already-exists", "conflict", "not-found")) return;
    if (hasCode(error, "forbidden")) throw this.#failed("crd-forbidden", error, FORBIDDEN);
    if (hasCode(error, "invalid"))
      throw this.#failed("crd-refused", error, "compare it with deploy/crd, and correct it");
    this.#logger.warn({ err: error }, "could not create the CRD yet");
  }

  #failed(code: "crd-forbidden" | "crd-refused", cause: KubernetesError, remedy: string): OperatorError {
    const message = `${cause.message}. ${remedy}`;
    return new OperatorError(code, { operation: `create or upgrade CRD '${this.#name}'`, message, cause });
  }
}

const FORBIDDEN =
  "Grant the permissions with example/rbac/create_role.sh; or create the CRDs as an administrator, with " +
  "`etcd-operator crds | kubectl apply -f -`, and start the operator with --create-crd=false";
