import type { Volume, VolumeMount } from "kubernetes-types/core/v1.d.ts";
import type { EtcdClusterSpec } from "../../../api/etcd-cluster.ts";

type TlsPolicy = EtcdClusterSpec["TLS"];

interface TlsFiles {
  readonly volume: string;
  readonly path: string;
  readonly flags: readonly string[];
  readonly secretOf: (tls: TlsPolicy) => string | undefined;
}

const PEER_PATH = "/etc/etcdtls/member/peer-tls";
const SERVER_PATH = "/etc/etcdtls/member/server-tls";

const FILES: readonly TlsFiles[] = [
  {
    volume: "member-peer-tls",
    path: PEER_PATH,
    flags: [
      "--peer-client-cert-auth=true",
      `--peer-trusted-ca-file=${PEER_PATH}/peer-ca.crt`,
      `--peer-cert-file=${PEER_PATH}/peer.crt`,
      `--peer-key-file=${PEER_PATH}/peer.key`,
    ],
    secretOf: (tls) => tls?.static?.member?.peerSecret,
  },
  {
    volume: "member-server-tls",
    path: SERVER_PATH,
    flags: [
      "--client-cert-auth=true",
      `--trusted-ca-file=${SERVER_PATH}/server-ca.crt`,
      `--cert-file=${SERVER_PATH}/server.crt`,
      `--key-file=${SERVER_PATH}/server.key`,
    ],
    secretOf: (tls) => tls?.static?.member?.serverSecret,
  },
];

export function tlsFlags(tls: TlsPolicy): string[] {
  return used(tls).flatMap(({ flags }) => [...flags]);
}

export function tlsVolumes(tls: TlsPolicy): Volume[] {
  return used(tls).map(({ volume, secretName }) => ({ name: volume, secret: { secretName } }));
}

export function tlsMounts(tls: TlsPolicy): VolumeMount[] {
  return used(tls).map(({ volume, path }) => ({ name: volume, mountPath: path, readOnly: true }));
}

function used(tls: TlsPolicy): (TlsFiles & { readonly secretName: string })[] {
  return FILES.flatMap((files) => {
    const secretName = files.secretOf(tls);
    return secretName ? [{ ...files, secretName }] : [];
  });
}
