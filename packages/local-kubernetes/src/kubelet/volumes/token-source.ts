import type { Clock, KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import { messageOf, pathOf, resources } from "@etcd-operator/kubernetes-client";
import type { TokenRequest } from "kubernetes-types/authentication/v1.d.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { KubeletError } from "../kubelet-error.ts";

/** The audience of a volume's token: none given means the API server. */
export interface TokenWish {
  readonly audience: string;
  readonly lifetimeSeconds: number;
}

interface Issued {
  readonly token: string;
  /** Before this it cannot have been: then the clock was set back, and says nothing about the token. */
  readonly since: number;
  readonly renewAt: number;
  readonly expiresAt: number;
}

const LONGEST_MS = 24 * 60 * 60 * 1000;
const RETRY_MS = 10_000;

/** Asks the API server for the tokens of pods' service accounts, and for new ones before those expire. */
export class TokenSource {
  readonly #client: Pick<KubeClient, "request">;
  readonly #clock: Clock;
  readonly #issued = new Map<string, Map<string, Issued>>();

  constructor(client: Pick<KubeClient, "request">, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async tokenFor(pod: Stored<Pod>, wish: TokenWish): Promise<string> {
    const key = `${wish.lifetimeSeconds} ${wish.audience}`;
    const ofPod = this.#issued.get(pod.metadata.uid) ?? new Map<string, Issued>();
    this.#issued.set(pod.metadata.uid, ofPod);
    const known = ofPod.get(key);
    const now = this.#clock.now();
    if (known && known.since <= now && known.renewAt > now) return known.token;
    try {
      const issued = await this.#ask(pod, wish);
      ofPod.set(key, issued);
      return issued.token;
    } catch (error) {
      // The old one is as good as ever while it lasts.
      if (!known || known.expiresAt <= this.#clock.now()) {
        throw new KubeletError("missing-object", `failed to fetch token: ${messageOf(error)}`, { cause: error });
      }
      ofPod.set(key, { ...known, since: now, renewAt: this.#clock.now() + RETRY_MS });
      return known.token;
    }
  }

  /** When the pod's next token is due. */
  renewAt(podUid: string): number {
    const issued = [...(this.#issued.get(podUid)?.values() ?? [])];
    return Math.min(...issued.map(({ renewAt }) => renewAt));
  }

  forget(podUid: string): void {
    this.#issued.delete(podUid);
  }

  async #ask({ metadata, spec }: Stored<Pod>, { audience, lifetimeSeconds }: TokenWish): Promise<Issued> {
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
    const { status } = await this.#client.request<TokenRequest>("POST", path, { body });
    const expiresAt = Date.parse(status?.expirationTimestamp ?? "");
    const since = this.#clock.now();
    return { token: status?.token ?? "", since, expiresAt, renewAt: renewalOf(since, expiresAt) };
  }
}

/** At four fifths of its life, and at the latest after a day. */
export function renewalOf(issuedAt: number, expiresAt: number): number {
  return issuedAt + Math.min((expiresAt - issuedAt) * 0.8, LONGEST_MS);
}
