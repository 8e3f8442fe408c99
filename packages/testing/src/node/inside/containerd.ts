import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Workspace } from "../../kube/control-plane/workspace.ts";
import { runCommand, runCommandOrThrow } from "../../process/run-command.ts";
import { until } from "../../until.ts";
import type { RuntimePrograms } from "../binaries.ts";
import { PAUSE } from "../images/images.ts";
import type { NodeAddress } from "./addresses.ts";

export interface Containerd {
  readonly socket: string;
  /** Imports an archive. */
  load(archive: string): Promise<void>;
}

interface ContainerdNeeds {
  readonly workspace: Workspace;
  readonly programs: RuntimePrograms;
  /** Its own folder, on a file system that overlayfs can have its upper layer on. */
  readonly folder: string;
  readonly node: NodeAddress;
}

/** Starts the container runtime of one node. */
export async function startContainerd(needs: ContainerdNeeds): Promise<Containerd> {
  const { workspace, programs, folder, node } = needs;
  const env = { ...process.env, ...programs.env };
  const socket = join(folder, "containerd.sock");
  await mkdir(join(folder, "cni"), { recursive: true });
  await writeFile(join(folder, "cni", "10-pods.conflist"), JSON.stringify(podNetwork(folder, node)));
  await writeFile(join(folder, "containerd.toml"), configuration(needs, socket));
  const args = ["--config", join(folder, "containerd.toml")];
  const { diedEarly } = workspace.run(`containerd-${node.name}`, programs.containerd, args, env);
  const ctr = ["--address", socket, "--namespace", "k8s.io"];
  const answers = async () => (await runCommand(programs.ctr, [...ctr, "version"], { env })).code === 0;
  await until(answers, { what: `containerd of ${node.name}`, timeoutMs: 60_000, unless: diedEarly });
  return {
    socket,
    async load(archive) {
      await runCommandOrThrow(programs.ctr, [...ctr, "images", "import", archive], { env });
    },
  };
}

// A pair of links per pod and a route: pods of one node reach those of another, for all nodes share the namespace.
function podNetwork(folder: string, { podCidr }: NodeAddress): object {
  const ipam = {
    type: "host-local",
    dataDir: join(folder, "cni-addresses"),
    ranges: [[{ subnet: podCidr }]],
    routes: [{ dst: "0.0.0.0/0" }],
  };
  return { cniVersion: "1.0.0", name: "pods", plugins: [{ type: "ptp", ipMasq: false, mtu: 1500, ipam }] };
}

function configuration({ folder, programs }: ContainerdNeeds, socket: string): string {
  const cri = `plugins."io.containerd.grpc.v1.cri"`;
  return `version = 2
root = "${folder}/root"
state = "${folder}/state"
[grpc]
  address = "${socket}"
[plugins."io.containerd.internal.v1.opt"]
  path = "${folder}/opt"
[${cri}]
  sandbox_image = "${PAUSE}"
  # A machine that is a container itself may not lower scores.
  restrict_oom_score_adj = true
  disable_apparmor = true
[${cri}.cni]
  bin_dir = "${programs.cniFolder}"
  conf_dir = "${folder}/cni"
[${cri}.containerd]
  snapshotter = "overlayfs"
  default_runtime_name = "runc"
[${cri}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[${cri}.containerd.runtimes.runc.options]
  BinaryName = "${programs.runc}"
  Root = "${folder}/runc"
  SystemdCgroup = false
`;
}
