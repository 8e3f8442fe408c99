import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { KubeObject } from "@etcd-operator/kubernetes-client";
import { createAuthority, issueCertificate } from "@etcd-operator/local-kubernetes/pki.ts";

/** An operation of JSON Patch. */
export interface PatchOperation {
  readonly op: "add" | "replace";
  readonly path: string;
  readonly value: unknown;
}

export interface MutatingWebhook {
  /** What a kube-apiserver has to know of it, for writes in one namespace. */
  configurationFor(namespace: string): object;
  /** How often it was asked, by operation and kind: "CREATE Pod". */
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

interface Review {
  readonly request: { readonly uid: string; readonly operation: string; readonly object: KubeObject };
}

const LIFETIME_MS = 3_600_000;

/** A webhook on this machine, which answers each write of `plurals` with what `patch` says. */
export async function startMutatingWebhook(
  plurals: readonly string[],
  patch: (operation: string, object: KubeObject) => readonly PatchOperation[],
): Promise<MutatingWebhook> {
  const authority = await createAuthority("CN=webhook-test-ca", LIFETIME_MS);
  const leaf = { subject: "CN=webhook", usage: "server", ips: ["127.0.0.1"], dnsNames: ["localhost"] } as const;
  const asked: string[] = [];
  const server = createServer(await issueCertificate(authority, leaf, LIFETIME_MS), async (request, response) => {
    const { uid, operation, object } = (JSON.parse(await bodyOf(request)) as Review).request;
    asked.push(`${operation} ${object.kind}`);
    const operations = Buffer.from(JSON.stringify(patch(operation, object))).toString("base64");
    const answer = { uid, allowed: true, patchType: "JSONPatch", patch: operations };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: answer }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    asked,
    configurationFor: (namespace) => configuration(url, authority.cert, namespace, plurals),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function configuration(url: string, ca: string, namespace: string, plurals: readonly string[]): object {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: `mutate-${namespace}` },
    webhooks: [
      {
        name: "mutate.example.com",
        clientConfig: { url, caBundle: Buffer.from(ca).toString("base64") },
        rules: [{ operations: ["CREATE", "UPDATE"], apiGroups: ["*"], apiVersions: ["*"], resources: plurals }],
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
        failurePolicy: "Fail",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
