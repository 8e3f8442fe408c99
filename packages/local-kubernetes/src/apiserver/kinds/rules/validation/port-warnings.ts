import { type JsonObject, listIn } from "../../../kube-object.ts";

/** What to tell about ports that containers of one pod share, where `path` leads to the pod's spec. */
export function portWarnings(spec: JsonObject, path: string): string[] {
  const ports = ["initContainers", "containers"].flatMap((field) =>
    listIn(spec, field).flatMap((container, index) =>
      listIn(container, "ports").map((port, place) => ({ port, at: `${path}.${field}[${index}].ports[${place}]` })),
    ),
  );
  return [
    ...ports.flatMap(({ port, at }, index) =>
      ports.slice(0, index).flatMap((other) => {
        const how = clash(port, other.port);
        return how ? [`${at}: ${how} port definition with ${other.at}`] : [];
      }),
    ),
    ...ports.flatMap(({ port, at }, index) => {
      const first = ports.slice(0, index).find((other) => port.name && other.port.name === port.name);
      const effect = `services and probes that select ports by name will use ${first?.at}`;
      return first ? [`${at}: duplicate port name "${port.name}" with ${first.at}, ${effect}`] : [];
    }),
  ];
}

function clash(one: JsonObject, other: JsonObject): string | undefined {
  if (one.containerPort !== other.containerPort || one.protocol !== other.protocol) return undefined;
  const isSameIp = (one.hostIP ?? "") === (other.hostIP ?? "");
  if (isSameIp && (one.hostPort ?? 0) === (other.hostPort ?? 0)) return "duplicate";
  if (!one.hostPort || !other.hostPort) return "overlapping";
  // One of them takes the port on every address.
  return one.hostPort === other.hostPort && !one.hostIP !== !other.hostIP ? "dangerously ambiguous" : undefined;
}
