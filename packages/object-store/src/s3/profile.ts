import { ObjectStoreError } from "../object-store-error.ts";
import type { S3Profile } from "../store-settings.ts";

/** What the profile `default` says, as far as it concerns us. */
export interface ProfileRead {
  readonly region: string | undefined;
  /** Without them the pod's own role is used. */
  readonly keys: AccessKeys | undefined;
  /** To be taken on with the keys. */
  readonly role: AssumedRole | undefined;
}

export interface AccessKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface AssumedRole {
  readonly arn: string;
  readonly sessionName: string;
  readonly externalId?: string;
}

/**
 * Programs named in a Secret are not run, files named in it are not read, and there is no user to log in. Other
 * settings, such as `endpoint_url` and `ca_bundle`, count for nothing: where requests go, the object says.
 */
const REFUSED = ["credential_process", "sso_session", "sso_start_url", "web_identity_token_file"];
/** It becomes a part of host names. */
const REGION = /^[a-z0-9-]{1,64}$/i;

/** Reads the contents of `credentials` and `config`, as AWS' own tools do. */
export function readProfile({ credentials = "", config = "" }: S3Profile): ProfileRead {
  const sections = merged(sectionsOf(credentials, false), sectionsOf(config, true));
  const profile = sections.get("default") ?? new Map<string, string>();
  for (const setting of REFUSED) {
    if (profile.has(setting)) throw badSecret(`'${setting}' is not supported: give it keys, or name a role`);
  }
  const region = profile.get("region");
  if (region && !REGION.test(region))
    throw badSecret("'region' is no name of a region, such as 'eu-central-1': correct it");
  const role = roleOf(profile);
  const keys = keysOf(role ? (profileOfKeys(profile, sections) ?? new Map()) : profile);
  if (!keys && credentials.trim() !== "") {
    throw badSecret(
      "'credentials' has no profile 'default' with aws_access_key_id and aws_secret_access_key: add them below a line '[default]'",
    );
  }
  return { region: region || undefined, keys, role };
}

type Section = ReadonlyMap<string, string>;

/** By their names; in `config` all but the default one are called "profile <name>". */
function sectionsOf(text: string, isConfig: boolean): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>();
  let current: Map<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[\s*(.*?)\s*\]/.exec(line)?.[1];
    // Lines that are indented belong to a setting of settings, none of which concerns us.
    const [, name, value] = /^([^\s#;=:[][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (header !== undefined) {
      const profile = isConfig ? header.replace(/^profile\s+/, "") : header;
      current = sections.get(profile) ?? new Map();
      sections.set(profile, current);
    } else if (name !== undefined) {
      current?.set(name.toLowerCase(), (value ?? "").replace(/\s[#;].*$/, ""));
    }
  }
  return sections;
}

/** `credentials` wins over `config`. */
function merged(credentials: Map<string, Section>, config: Map<string, Section>): Map<string, Section> {
  const names = new Set([...credentials.keys(), ...config.keys()]);
  return new Map(
    [...names].map((name) => [name, new Map([...(config.get(name) ?? []), ...(credentials.get(name) ?? [])])]),
  );
}

function roleOf(profile: Section): AssumedRole | undefined {
  const arn = profile.get("role_arn");
  if (!arn) return undefined;
  const externalId = profile.get("external_id");
  const sessionName = profile.get("role_session_name") ?? "etcd-operator";
  return { arn, sessionName, ...(externalId && { externalId }) };
}

/** A role is taken on with the keys of the profile that it names, or with those beside it. */
function profileOfKeys(profile: Section, sections: ReadonlyMap<string, Section>): Section | undefined {
  const name = profile.get("source_profile");
  if (name === undefined) return profile;
  const source = sections.get(name);
  if (source && keysOf(source)) return source;
  throw badSecret(`source_profile '${name}' has no keys in it: add them to 'credentials' below a line '[${name}]'`);
}

function keysOf(section: Section): AccessKeys | undefined {
  const accessKeyId = section.get("aws_access_key_id");
  const secretAccessKey = section.get("aws_secret_access_key");
  const sessionToken = section.get("aws_session_token");
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}

function badSecret(message: string): ObjectStoreError {
  return new ObjectStoreError("bad-credentials", { operation: "read the Secret for S3", message });
}
