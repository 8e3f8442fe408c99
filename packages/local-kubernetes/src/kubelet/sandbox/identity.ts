import type { Container, Pod } from "kubernetes-types/core/v1.d.ts";
import type { Image } from "../../images/image.ts";
import { KubeletError } from "../kubelet-error.ts";

/** Who a container's processes are, and what they may do. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
  /** Lower-case names without "cap_"; undefined leaves all. */
  readonly capabilities: readonly string[] | undefined;
  readonly mayGainPrivileges: boolean;
}

/** What container runtimes grant where a pod says nothing. */
const usualCapabilities = [
  ...["audit_write", "chown", "dac_override", "fowner", "fsetid", "kill", "net_bind_service", "net_raw"],
  ...["setfcap", "setgid", "setpcap", "setuid", "sys_chroot"],
];

/** Reads the security contexts; the container's wins over the pod's, which wins over the image. */
export function identityOf(pod: Pod, container: Container, image: Pick<Image, "uid" | "gid">): Identity {
  const common = pod.spec?.securityContext;
  const own = container.securityContext;
  const uid = own?.runAsUser ?? common?.runAsUser ?? image.uid;
  if ((own?.runAsNonRoot ?? common?.runAsNonRoot) && uid === 0) throw rootRefused(pod, container);
  const groups = [...(common?.supplementalGroups ?? []), ...(common?.fsGroup === undefined ? [] : [common.fsGroup])];
  return {
    uid,
    gid: own?.runAsGroup ?? common?.runAsGroup ?? (uid === image.uid ? image.gid : 0),
    groups,
    capabilities: own?.privileged ? undefined : capabilitiesOf(own?.capabilities),
    mayGainPrivileges: own?.allowPrivilegeEscalation !== false,
  };
}

/** The words for setpriv(1) that make its process this identity. */
export function setprivWords(identity: Identity): string[] {
  const { uid, gid, groups, capabilities, mayGainPrivileges } = identity;
  return [
    ...["--reuid", String(uid), "--regid", String(gid)],
    ...(groups.length > 0 ? ["--groups", groups.join(",")] : ["--clear-groups"]),
    ...(capabilities ? [`--bounding-set=${["-all", ...capabilities.map((name) => `+${name}`)].join(",")}`] : []),
    ...(mayGainPrivileges ? [] : ["--no-new-privs"]),
  ];
}

function capabilitiesOf(wanted: { add?: string[]; drop?: string[] } = {}): string[] | undefined {
  const [add, drop] = [(wanted.add ?? []).map(plainName), (wanted.drop ?? []).map(plainName)];
  if (add.includes("all")) return undefined;
  const kept = drop.includes("all") ? [] : usualCapabilities.filter((name) => !drop.includes(name));
  return [...new Set([...kept, ...add])];
}

function plainName(capability: string): string {
  return capability.toLowerCase().replace(/^cap_/, "");
}

function rootRefused(pod: Pod, container: Container): KubeletError {
  const { name, namespace, uid } = pod.metadata ?? {};
  const isAsked = (container.securityContext?.runAsUser ?? pod.spec?.securityContext?.runAsUser) === 0;
  const what = isAsked
    ? "container's runAsUser breaks non-root policy"
    : "container has runAsNonRoot and image will run as root";
  return new KubeletError("invalid-pod", `${what} (pod: "${name}_${namespace}(${uid})", container: ${container.name})`);
}
