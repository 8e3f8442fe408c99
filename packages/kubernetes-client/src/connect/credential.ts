import { type Clock, systemClock } from "../watch/clock.ts";

/** What proves to the API server who we are. */
export interface Credential {
  /** Value of the Authorization header. */
  readonly authorization?: string;
  /** PEM; always together with `key`. */
  readonly cert?: string;
  readonly key?: string;
}

export interface CredentialSource {
  current(): Promise<Credential>;
  /** Reports that the API server did not accept the current one: the next call makes a new one. */
  forget(): void;
}

export interface Loaded {
  readonly credential: Credential;
  /** Milliseconds since 1970; undefined when nothing is known of an end. */
  readonly expiresAtMs?: number | undefined;
}

/** How long a file is trusted: the kubelet renews tokens long before they end, so a minute is soon enough. */
export const FILE_TRUST_MS = 60_000;

/** Loads a credential when it is needed and again when it has expired; callers at the same time share one load. */
export function credentialSource(load: () => Promise<Loaded>, clock: Clock = systemClock): CredentialSource {
  let loading: Promise<Loaded> | undefined;
  let expiresAtMs = Number.POSITIVE_INFINITY;
  const start = () => {
    expiresAtMs = Number.POSITIVE_INFINITY;
    const started = load();
    loading = started;
    started.then(
      (loaded) => {
        if (loading === started) expiresAtMs = loaded.expiresAtMs ?? expiresAtMs;
      },
      () => {
        if (loading === started) loading = undefined;
      },
    );
    return started;
  };
  return {
    async current() {
      const loaded = loading && clock.now() < expiresAtMs ? loading : start();
      return (await loaded).credential;
    },
    forget() {
      loading = undefined;
    },
  };
}

/** A credential that never changes. */
export function fixedCredential(credential: Credential = {}): CredentialSource {
  return { current: async () => credential, forget: () => undefined };
}
