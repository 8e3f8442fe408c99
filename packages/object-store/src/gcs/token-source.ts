import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { GcsSettings } from "../store-settings.ts";
import type { TokenSource } from "./access-tokens.ts";
import { externalAccountTokens } from "./external-account.ts";
import { CredentialError } from "./gcs-error.ts";
import { type AuthorizedUser, type GoogleCredentials, googleCredentials } from "./google-credentials.ts";
import type { GoogleHttp } from "./google-http.ts";
import { serviceAccountTokens } from "./service-account.ts";
import { formRequest, requestToken } from "./token-request.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where tokens come from: what the Secret holds, or else the machine. */
export function tokenSource(
  {
    accessToken,
    credentialsJson,
    mayUseOwnIdentity,
  }: Pick<GcsSettings, "accessToken" | "credentialsJson" | "mayUseOwnIdentity">,
  http: GoogleHttp,
  env: Environment,
): TokenSource {
  if (accessToken !== undefined) return fixedToken(accessToken.trim());
  if (credentialsJson === undefined) {
    if (mayUseOwnIdentity) return defaultTokens(http, env);
    const message = "the operator's own identity may not be used here: name a Secret in gcs.gcpSecret";
    throw new CredentialError("bad-credentials", message);
  }
  return tokensOf(googleCredentials(credentialsJson, "'credentials.json' in the Secret", "secret"), http);
}

function fixedToken(token: string): TokenSource {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new CredentialError("bad-credentials", "'access-token' in the Secret is not a token: copy it unchanged");
  }
  return {
    identity: "the access token in the Secret",
    fetch: async () => ({ token, expiresAtMs: Number.POSITIVE_INFINITY }),
  };
}

function tokensOf(credentials: GoogleCredentials, http: GoogleHttp): TokenSource {
  switch (credentials.type) {
    case "service_account":
      return serviceAccountTokens(credentials, http);
    case "external_account":
      return externalAccountTokens(credentials, http);
    case "authorized_user":
      return userTokens(credentials, http);
  }
}

function userTokens({ client_id, client_secret, refresh_token }: AuthorizedUser, http: GoogleHttp): TokenSource {
  const identity = "the user of the default credentials";
  const fields = { grant_type: "refresh_token", client_id, client_secret, refresh_token };
  const request = formRequest("https://oauth2.googleapis.com/token", fields);
  return { identity, fetch: () => requestToken(http, request, identity) };
}

/**
 * In the order in which Google's own libraries look: a file that is named, the one of the command line, the machine
 * itself.
 */
function defaultTokens(http: GoogleHttp, env: Environment): TokenSource {
  const identity = "the default credentials";
  return {
    identity,
    async fetch() {
      const { GOOGLE_APPLICATION_CREDENTIALS: named } = env;
      const own = (json: string, where: string) => tokensOf(googleCredentials(json, where, "administrator"), http);
      if (named) return await own(await readNamed(named), `the file '${named}'`).fetch();
      const found = await readFile(commandLineFile(env), "utf8").catch(() => undefined);
      if (found !== undefined) return await own(found, "gcloud's own file").fetch();
      return await machineTokens(http, env).fetch();
    },
  };
}

async function readNamed(file: string): Promise<string> {
  return await readFile(file, "utf8").catch(() => {
    const message = `GOOGLE_APPLICATION_CREDENTIALS names '${file}', which cannot be read: mount it there, or name a Secret`;
    throw new CredentialError("bad-credentials", message);
  });
}

function commandLineFile({ CLOUDSDK_CONFIG, HOME = "/" }: Environment): string {
  return join(CLOUDSDK_CONFIG ?? join(HOME, ".config", "gcloud"), "application_default_credentials.json");
}

/** What Google's machines and GKE's workload identity give to programs that run there. */
function machineTokens(http: GoogleHttp, { GCE_METADATA_HOST: host = "169.254.169.254" }: Environment): TokenSource {
  const identity = "this machine (there are no other default credentials; without Google's machines name a Secret)";
  const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/token`;
  const request = { method: "GET", url, headers: { "metadata-flavor": "Google" }, isLocal: true } as const;
  return { identity, fetch: () => requestToken(http, request, identity) };
}
