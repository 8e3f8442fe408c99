import { readFile, writeFile } from "node:fs/promises";

/** How a user proves who it is: a client certificate, a bearer token, or not at all. */
export type Identity =
  | { readonly kind: "certificate"; readonly cert: string; readonly key: string }
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "anonymous" };

interface Kubeconfig {
  /** What kubectl calls the context; "test" unless told otherwise. */
  readonly name?: string;
  readonly server: string;
  /** Path of the PEM file of the CA. */
  readonly ca: string;
  readonly identity: Identity;
}

/** Writes a kubeconfig that carries its certificates inside, so that it may be copied anywhere. */
export async function writeKubeconfig(
  path: string,
  { name = "test", server, ca, identity }: Kubeconfig,
): Promise<string> {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster: { server, "certificate-authority-data": await base64(ca) } }],
    users: [{ name, user: await userOf(identity) }],
  };
  // Every JSON document is a YAML document.
  await writeFile(path, JSON.stringify(config, undefined, 2), { mode: 0o600 });
  return path;
}

async function userOf(identity: Identity): Promise<Record<string, string>> {
  switch (identity.kind) {
    case "certificate":
      return {
        "client-certificate-data": await base64(identity.cert),
        "client-key-data": await base64(identity.key),
      };
    case "token":
      return { token: identity.token };
    case "anonymous":
      return {};
  }
}

async function base64(path: string): Promise<string> {
  return readFile(path, "base64");
}
