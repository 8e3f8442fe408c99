import type { Container, PodSpec } from "kubernetes-types/core/v1.d.ts";

const allowedVolumes = new Set([
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret",
]);

/** Where a pod leaves Kubernetes' restricted profile, or our own habit of a read-only root and known resources. */
export function restrictedViolations(pod: PodSpec): readonly string[] {
  const { hostNetwork, hostPID, hostIPC, volumes = [], initContainers = [], containers, securityContext } = pod;
  const badVolumes = volumes.filter((volume) =>
    Object.keys(volume).some((key) => key !== "name" && !allowedVolumes.has(key)),
  );
  return [
    ...(hostNetwork || hostPID || hostIPC ? ["shares a namespace with its host"] : []),
    ...badVolumes.map(({ name }) => `volume ${name} is of a kind that is not allowed`),
    ...(securityContext?.runAsNonRoot ? [] : ["runAsNonRoot is not true"]),
    ...(securityContext?.runAsUser === 0 ? ["runAsUser is 0"] : []),
    ...(securityContext?.seccompProfile?.type === "RuntimeDefault" ? [] : ["seccompProfile is not RuntimeDefault"]),
    ...[...initContainers, ...containers].flatMap(containerViolations),
  ];
}

function containerViolations({ name, securityContext, resources, ports = [] }: Container): readonly string[] {
  const facts: readonly (readonly [boolean, string])[] = [
    [securityContext?.allowPrivilegeEscalation === false, "allowPrivilegeEscalation is not false"],
    [securityContext?.privileged !== true, "privileged is true"],
    [securityContext?.runAsNonRoot !== false && securityContext?.runAsUser !== 0, "runs as root"],
    [securityContext?.capabilities?.drop?.includes("ALL") === true, "capabilities are not dropped"],
    [(securityContext?.capabilities?.add ?? []).length === 0, "capabilities are added"],
    [securityContext?.readOnlyRootFilesystem === true, "readOnlyRootFilesystem is not true"],
    [ports.every(({ hostPort }) => !hostPort), "takes a port of its host"],
    [Boolean(resources?.requests?.cpu && resources.requests.memory), "cpu and memory are not requested"],
    [Boolean(resources?.limits?.memory), "memory is not limited"],
  ];
  return facts.flatMap(([holds, otherwise]) => (holds ? [] : [`container ${name}: ${otherwise}`]));
}
