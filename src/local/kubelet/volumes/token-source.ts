import type { TokenRequest } from "kubernetes-types/authentication/v1.d.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Clock } from "../../../kubernetes/clock.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { hasCode } from "../../../kubernetes/kubernetes-error.ts";
import { pathOf } from "../../../kubernetes/resource.ts";
import { resources } from "../../../kubernetes/resources.ts";
import type { KubeClient } from "../../../kubernetes/rest-client.ts";

interface Issued {
  readonly token: string;
  readonly renewAt: number;
}

const lifetimeSeconds = 3_600;

/** Asks the API server for the tokens of pods' service accounts, and for a new one long before one expires. */
export class TokenSource {
  readonly #client: Pick<KubeClient, "request">;
  readonly #clock: Clock;
  readonly #fallback: () => Promise<string>;
  readonly #issued = new Map<string, Issued>();

  /** The fallback is for an API server that does not issue tokens. */
  constructor(client: Pick<KubeClient, "request">, clock: Clock, fallback: () => Promise<string>) {
    this.#client = client;
    this.#clock = clock;
    this.#fallback = fallback;
  }

  async tokenFor(pod: Stored<Pod>, audience: string): Promise<string> {
    const key = `${pod.metadata.uid} ${audience}`;
    const known = this.#issued.get(key);
    if (known && known.renewAt > this.#clock.now()) return known.token;
    const token = await this.#ask(pod, audience);
    this.#issued.set(key, { token, renewAt: this.#clock.now() + lifetimeSeconds * 800 });
    return token;
  }

  forget(podUid: string): void {
    for (const key of this.#issued.keys()) if (key.startsWith(`${podUid} `)) this.#issued.delete(key);
  }

  async #ask({ metadata, spec }: Stored<Pod>, audience: string): Promise<string> {
    const { namespace, name, uid } = metadata;
    const account = spec?.serviceAccountName || "default";
    const path = pathOf(resources.serviceAccounts, { namespace, name: account, subresource: "token" });
    const body = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: {
        audiences: audience === "" ? [] : [audience],
        expirationSeconds: lifetimeSeconds,
        boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid },
      },
    };
    try {
      const { status } = await this.#client.request<TokenRequest>("POST", path, { body });
      return status?.token ?? "";
    } catch (error) {
      if (hasCode(error, "not-found", "unknown")) return this.#fallback();
      throw error;
    }
  }
}
