import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A request that a ServiceAccount made and the API server has answered, or has begun to answer when it is a watch. */
export interface AuditedRequest {
  readonly user: string;
  readonly userAgent: string;
  readonly verb: string;
  /** With its group and subresource, such as "pods/status" or "etcd.database.coreos.com/etcdclusters". */
  readonly resource: string;
  readonly uri: string;
  readonly code: number;
  /** When the API server got it, in milliseconds. */
  readonly atMs: number;
}

export interface AuditLog {
  /** Makes a kube-apiserver write it. */
  readonly flags: readonly string[];
  /** What it holds so far: the API server adds a request before its answer is out. */
  read(): Promise<readonly AuditedRequest[]>;
}

interface AuditEvent {
  readonly stage: string;
  readonly auditID: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent?: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly apiGroup?: string; readonly resource?: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
}

const policy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    // The controllers of kube-controller-manager, and other parts of the cluster itself.
    { level: "None", userGroups: ["system:serviceaccounts:kube-system"] },
    { level: "Metadata", userGroups: ["system:serviceaccounts"] },
    { level: "None" },
  ],
};

/** Prepares an audit log of what the ServiceAccounts of all namespaces but kube-system ask for. */
export async function prepareAuditLog(directory: string): Promise<AuditLog> {
  const policyFile = join(directory, "audit-policy.json");
  const log = join(directory, "audit.log");
  await writeFile(policyFile, JSON.stringify(policy));
  return {
    flags: [`--audit-policy-file=${policyFile}`, `--audit-log-path=${log}`],
    async read() {
      const lines = (await readFile(log, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
      const events = lines.map((line) => JSON.parse(line) as AuditEvent);
      // A watch is logged twice: when its answer begins, and when it ends.
      return [...new Map(events.map((event) => [event.auditID, event])).values()].map(requestOf);
    },
  };
}

function requestOf(event: AuditEvent): AuditedRequest {
  const { apiGroup, resource = "", subresource } = event.objectRef ?? {};
  return {
    user: event.user.username,
    userAgent: event.userAgent ?? "",
    verb: event.verb,
    resource: [apiGroup, resource, subresource].filter((part) => part !== undefined).join("/"),
    uri: event.requestURI,
    code: event.responseStatus?.code ?? 0,
    atMs: Date.parse(event.requestReceivedTimestamp),
  };
}
