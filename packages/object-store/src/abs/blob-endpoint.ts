import { ObjectStoreError } from "../object-store-error.ts";
import type { AbsSettings } from "../store-settings.ts";

const DOMAINS = {
  public: "core.windows.net",
  china: "core.chinacloudapi.cn",
  usgovernment: "core.usgovcloudapi.net",
  german: "core.cloudapi.de",
} as const;

// As Azure's tools in Go, Python and the command line, and Terraform, spell them; letter case does not count.
const SPELLINGS: Readonly<Record<string, keyof typeof DOMAINS>> = {
  "": "public",
  public: "public",
  azure: "public",
  azurecloud: "public",
  azurepublic: "public",
  azurepubliccloud: "public",
  china: "china",
  azurechina: "china",
  azurechinacloud: "china",
  usgov: "usgovernment",
  usgovernment: "usgovernment",
  azureusgovernment: "usgovernment",
  azureusgovernmentcloud: "usgovernment",
  german: "german",
  germany: "german",
  azuregerman: "german",
  azuregermancloud: "german",
};

/** URL of the account's blob service. */
export function blobEndpoint({ account, cloud = "" }: Pick<AbsSettings, "account" | "cloud">): string {
  const name = cloud.trim();
  // Servers that are not Azure's have no host name per account.
  if (/^https?:\/\//i.test(name)) return `${urlOf(name)}/${account}`;
  const known = SPELLINGS[name.toLowerCase()];
  if (!known) {
    throw unusable(
      `'cloud' in the Secret is no cloud of Azure: write AzurePublicCloud, AzureChinaCloud, ` +
        "AzureUSGovernmentCloud, AzureGermanCloud, or the URL of a server that speaks its protocol",
    );
  }
  return `https://${account}.blob.${DOMAINS[known]}`;
}

/** What the Secret holds, without the white space that editors and `echo` leave; throws when it cannot be right. */
export function accountOf(settings: Pick<AbsSettings, "account" | "accountKey">) {
  const account = settings.account.trim();
  const accountKey = settings.accountKey.trim();
  if (!/^[a-z0-9]{3,24}$/.test(account)) {
    throw unusable("'storage-account' in the Secret is not the name of an account: 3 to 24 small letters and digits");
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(accountKey) || accountKey.length % 4 !== 0) {
    throw unusable(
      "'storage-key' in the Secret is not the key of an account: copy one of its two access keys, as it is",
    );
  }
  return { account, accountKey };
}

function urlOf(name: string): string {
  if (!URL.canParse(name)) throw unusable("'cloud' in the Secret is no valid URL: correct it");
  const { origin, pathname } = new URL(name);
  return `${origin}${pathname}`.replace(/\/+$/, "");
}

function unusable(message: string): ObjectStoreError {
  return new ObjectStoreError("bad-credentials", { operation: "open abs", message });
}
