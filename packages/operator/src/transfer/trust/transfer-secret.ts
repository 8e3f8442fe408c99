import { randomBytes } from "node:crypto";
import type { WorkerEndpoint } from "@etcd-operator/object-store";
import { ObjectStoreError } from "@etcd-operator/object-store";
import type { Secret } from "kubernetes-types/core/v1.d.ts";
import { TRANSFER_PORT, transferSecretName } from "../names.ts";
import { TRANSFER_FILES } from "../transfer-files.ts";
import { selfSignedCertificate } from "./self-signed-certificate.ts";

/** A pod that was made, as far as its Secret has to know. */
interface MadePod {
  readonly metadata: { readonly namespace?: string; readonly name: string; readonly uid: string };
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Longer than any pod of this kind lives. */
const LIFETIME_DAYS = 3650;

/** The Secret of a pod that a snapshot passes through, to be created right after the pod, which waits for it. */
export async function makeTransferSecret(pod: MadePod, nowMs: number = Date.now()): Promise<Secret> {
  const { namespace = "default", name, uid } = pod.metadata;
  const { cert, key } = selfSignedCertificate({
    name,
    // Clocks differ.
    notBefore: new Date(nowMs - DAY_MS),
    notAfter: new Date(nowMs + LIFETIME_DAYS * DAY_MS),
  });
  const files = { cert, key, token: randomBytes(32).toString("hex") };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      namespace,
      name: transferSecretName(name),
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid }],
    },
    type: "Opaque",
    immutable: true,
    data: Object.fromEntries(
      Object.entries(TRANSFER_FILES).map(([file, name]) => [name, base64(files[file as keyof typeof files])]),
    ),
  };
}

/** How to reach the worker of the pod that the Secret was made for. */
export function endpointOf({ metadata, data = {} }: Secret, podIp: string): WorkerEndpoint {
  const [certificate, token] = [data[TRANSFER_FILES.cert], data[TRANSFER_FILES.token]].map(textOf);
  if (!certificate || !token) {
    throw new ObjectStoreError("bad-credentials", {
      operation: `read Secret '${metadata?.name}'`,
      message: `it has no '${TRANSFER_FILES.cert}' or no '${TRANSFER_FILES.token}': delete its pod, and another one is created`,
    });
  }
  const host = podIp.includes(":") ? `[${podIp}]` : podIp;
  return { address: `${host}:${TRANSFER_PORT}`, certificate, token };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function textOf(encoded: string | undefined): string {
  return Buffer.from(encoded ?? "", "base64").toString();
}
