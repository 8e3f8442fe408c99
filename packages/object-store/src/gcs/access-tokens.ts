import { onAbort } from "../on-abort.ts";

export interface AccessToken {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Who we are to Google. */
export interface TokenSource {
  /** For messages, such as "the service account 'a@b'". */
  readonly identity: string;
  fetch(): Promise<AccessToken>;
}

// Less than the five minutes before the end at which Google's metadata servers give out a new one.
const EARLY_MS = 180_000;

/** Keeps a token as long as it is good. */
export class AccessTokens {
  readonly identity: string;
  readonly #source: TokenSource;
  #current: AccessToken | undefined;
  #fetching: Promise<AccessToken> | undefined;

  constructor(source: TokenSource) {
    this.identity = source.identity;
    this.#source = source;
  }

  /** One request for all who wait; who no longer wants to wait goes. */
  async current(signal: AbortSignal): Promise<string> {
    if (this.#current && this.#current.expiresAtMs - EARLY_MS > Date.now()) return this.#current.token;
    this.#fetching ??= this.#source.fetch().finally(() => {
      this.#fetching = undefined;
    });
    this.#current = await unlessAborted(this.#fetching, signal);
    return this.#current.token;
  }

  /** It is not accepted any more. */
  drop(token: string): void {
    if (this.#current?.token === token) this.#current = undefined;
  }
}

async function unlessAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let undo = () => {};
  try {
    return await new Promise((resolve, reject) => {
      promise.then(resolve, reject);
      undo = onAbort(signal, () => reject(signal.reason));
    });
  } finally {
    undo();
  }
}
