import { factsOf, formatVersion, type Version } from "@etcd-operator/etcd-client";
import { defined } from "@etcd-operator/kubernetes-client";
import type { Container, Pod, PodSpec, Volume } from "kubernetes-types/core/v1.d.ts";
import {
  CLIENT_PORT,
  METRICS_PORT,
  memberAddresses,
  memberLabels,
  namespaceOf,
  PEER_PORT,
  peerServiceName,
} from "../../../api/cluster/cluster-names.ts";
import { etcdImage as imageOf } from "../../../api/cluster/etcd-version.ts";
import type { EtcdCluster } from "../../../api/etcd-cluster.ts";
import { RESTORE_UID_ANNOTATION } from "../../../api/restore-request.ts";
import { RESTORE_ONCE } from "../../../transfer/names.ts";
import { restoreVolumes } from "../../../transfer/pods/receive-and-restore.ts";
import { formatLogReached, type LogReached } from "../../guard/log-reached.ts";
import { CA_ANNOTATIONS } from "../../tls/ca-annotations.ts";
import { ANNOTATIONS, VOTER_CONDITION } from "../annotations.ts";
import { ownerReference } from "../owner.ts";
import { etcdCommand } from "./etcd-command.ts";
import { guardContainer } from "./guard-container.ts";
import { movedToAnnotations, type ToldByAnnotations } from "./initial-cluster.ts";
import { type Elsewhere, placement } from "./placement.ts";
import { metadataRecord, wantedMetadata } from "./pod-metadata.ts";
import { probes } from "./probes.ts";
import { restoringContainers } from "./restoring-containers.ts";
import { containerSecurity, podSecurity } from "./security.ts";
import { specHash } from "./spec-hash.ts";
import type { Start } from "./start.ts";
import { tlsMounts, tlsVolumes } from "./tls-files.ts";

export interface MemberPod {
  readonly cluster: EtcdCluster;
  readonly member: string;
  /** Not always the spec's: a member that returns in the middle of an upgrade keeps what it ran. */
  readonly version: Version;
  readonly incarnation: number;
  readonly start: Start;
  /** Our own image, which has the guard in it. */
  readonly guardImage: string;
  /** The authorities that it will trust, by its Secrets; written on the pod, because etcd never reads them again. */
  readonly ca?: { readonly peer: string | undefined; readonly server: string | undefined } | undefined;
  /** Where it may go; absent: anywhere. */
  readonly elsewhere?: Elsewhere | undefined;
  /** How far its log had got, if it comes back. */
  readonly logReached?: LogReached | undefined;
}

/** By this name its state is found in the status of a pod. */
export const ETCD_CONTAINER = "etcd";

const VOLUME_PATH = "/var/etcd";

/** The pod of a member. */
export function memberPod(wanted: MemberPod): Pod {
  const { cluster, member, version, start } = wanted;
  const addresses = memberAddresses(cluster, member);
  const told = movedToAnnotations(etcdCommand({ spec: cluster.spec, member, version, start, addresses }));
  const { name } = cluster.metadata;
  const ofUser = wantedMetadata(cluster.spec);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: member,
      namespace: namespaceOf(cluster),
      labels: { ...ofUser.labels, ...memberLabels(name, member) },
      annotations: { ...ofUser.annotations, ...operatorAnnotations(wanted), ...told.annotations },
      ownerReferences: [ownerReference(cluster)],
    },
    spec: podSpec(wanted, told),
  };
}

/** The image of a version; a change of it alone is patched into the pod, which keeps its data. */
export function etcdImage({ spec }: EtcdCluster, version: string): string {
  return imageOf(spec, version);
}

function operatorAnnotations({
  cluster,
  version,
  incarnation,
  start,
  ca,
  logReached,
}: MemberPod): Record<string, string> {
  return {
    ...caAnnotations(ca),
    [ANNOTATIONS.version]: formatVersion(version),
    [ANNOTATIONS.specHash]: specHash(cluster.spec),
    [ANNOTATIONS.askedImage]: etcdImage(cluster, formatVersion(version)),
    [ANNOTATIONS.incarnation]: String(incarnation),
    [ANNOTATIONS.podMetadata]: metadataRecord(cluster.spec),
    ...annotationsOf(start),
    ...(logReached && { [ANNOTATIONS.logReached]: formatLogReached(logReached) }),
  };
}

/** The cluster of an initial member is known only once it has run. */
function annotationsOf(start: Start): Record<string, string> {
  switch (start.kind) {
    case "seed":
      return {};
    case "joining":
      return { [ANNOTATIONS.clusterId]: start.clusterId };
    case "returning":
      return { [ANNOTATIONS.clusterId]: start.clusterId, [ANNOTATIONS.memberId]: start.memberId };
    case "restored":
      return { [RESTORE_UID_ANNOTATION]: start.restoreUid, ...RESTORE_ONCE };
  }
}

/** The notes on the authorities that a member which starts now trusts. */
export function caAnnotations(ca: MemberPod["ca"]): Record<string, string> {
  return defined<Record<string, string>>({ [CA_ANNOTATIONS.peer]: ca?.peer, [CA_ANNOTATIONS.server]: ca?.server });
}

function podSpec(wanted: MemberPod, told: ToldByAnnotations): PodSpec {
  const { cluster, member, start, guardImage } = wanted;
  const { spec } = cluster;
  return defined<PodSpec>({
    hostname: member,
    subdomain: peerServiceName(cluster.metadata.name),
    restartPolicy: "Always",
    automountServiceAccountToken: false,
    // A Service called "etcd" would put ETCD_ variables into every pod, which etcd reads as settings.
    enableServiceLinks: false,
    serviceAccountName: spec.pod?.serviceAccountName || undefined,
    imagePullSecrets: spec.pod?.imagePullSecrets,
    terminationGracePeriodSeconds: spec.pod?.terminationGracePeriodSeconds,
    securityContext: podSecurity(spec),
    readinessGates: [{ conditionType: VOTER_CONDITION }],
    ...placement(cluster, wanted.elsewhere),
    initContainers: [...restoringOf(wanted), guardContainer(spec, start, guardImage, VOLUME_PATH)],
    containers: [etcdContainer(wanted, told)],
    volumes: [
      dataVolume(wanted),
      ...tlsVolumes(spec.TLS),
      ...(start.kind === "restored" ? restoreVolumes(member) : []),
    ],
  });
}

function restoringOf({ cluster, member, version, start, guardImage }: MemberPod): Container[] {
  if (start.kind !== "restored") return [];
  const images = { ours: guardImage, etcd: etcdImage(cluster, formatVersion(version)) };
  return restoringContainers({ cluster, member, version, start, images, mountPath: VOLUME_PATH });
}

function etcdContainer({ cluster, version }: MemberPod, { command, env }: ToldByAnnotations): Container {
  const { spec } = cluster;
  return defined<Container>({
    name: ETCD_CONTAINER,
    image: etcdImage(cluster, formatVersion(version)),
    imagePullPolicy: spec.pod?.imagePullPolicy,
    command,
    env: [...(spec.pod?.etcdEnv ?? []), ...env],
    ports: [
      { name: "server", containerPort: PEER_PORT, protocol: "TCP" },
      { name: "client", containerPort: CLIENT_PORT, protocol: "TCP" },
      ...(factsOf(version).hasListenMetricsUrls
        ? [{ name: "metrics", containerPort: METRICS_PORT, protocol: "TCP" }]
        : []),
    ],
    resources: spec.pod?.resources,
    securityContext: containerSecurity(spec),
    volumeMounts: [{ name: "etcd-data", mountPath: VOLUME_PATH }, ...tlsMounts(spec.TLS)],
    ...probes(version, Boolean(spec.TLS?.static?.member?.serverSecret)),
    // What etcd says last is then in the pod's status, and in ours: a full disk, a damaged file, another version's
    // data.
    terminationMessagePolicy: "FallbackToLogsOnError",
  });
}

function dataVolume({ cluster, member }: MemberPod): Volume {
  return cluster.spec.pod?.persistentVolumeClaimSpec
    ? { name: "etcd-data", persistentVolumeClaim: { claimName: member } }
    : { name: "etcd-data", emptyDir: {} };
}
