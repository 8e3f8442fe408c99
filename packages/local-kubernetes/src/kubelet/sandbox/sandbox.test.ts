import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, onTestFinished, test } from "vitest";
import { toolsImage } from "../../images/find-image.ts";
import { KubeletError } from "../kubelet-error.ts";
import { type Launch, startContainerProcess } from "./container-process.ts";
import { runExec } from "./exec-process.ts";
import { machineLayout } from "./machine-layout.ts";
import type { Mount } from "./mount-plan.ts";
import { writeRootFolder } from "./root-folder.ts";
import { type Sandbox, startSandbox } from "./sandbox.ts";

const tag = process.pid.toString(16).padStart(6, "0").slice(-6);
const bridge = `eo${tag}`;
const subnet = `10.${200 + (process.pid % 50)}`;
const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot)("a pod's namespaces (needs root)", () => {
  const dir = mkdtempSync(join(tmpdir(), "sandbox-"));
  beforeAll(() => {
    execFileSync("ip", ["link", "add", bridge, "type", "bridge"]);
    execFileSync("ip", ["addr", "add", `${subnet}.0.1/16`, "dev", bridge]);
    execFileSync("ip", ["link", "set", bridge, "up"]);
  });
  afterAll(() => {
    execFileSync("ip", ["link", "del", bridge]);
    rmSync(dir, { recursive: true });
  });

  async function sandbox(number: number): Promise<Sandbox> {
    const made = await startSandbox({
      hostname: `pod-${number}`,
      ip: `${subnet}.0.${number}`,
      prefixLength: 16,
      gateway: `${subnet}.0.1`,
      bridge,
      veth: `v${tag}${number}`,
    });
    onTestFinished(() => made.destroy());
    return made;
  }

  function launch(name: string, command: string, volumes: Mount[] = [], isReadOnly = false): Launch {
    const image = toolsImage();
    const root = writeRootFolder({
      dir: join(dir, name),
      layout: machineLayout(),
      image,
      volumes,
      etc: { hostname: "etc-hostname\n" },
      workingDir: "/work",
      isReadOnly,
    });
    return {
      root,
      env: new Map([...Object.entries(image.env), ["GREETING", "hello  world"]]),
      workingDir: "/work",
      command: ["sh", "-c", command],
      identity: { uid: 1000, gid: 1001, groups: [7], capabilities: [], mayGainPrivileges: false },
    };
  }

  async function outputOf(pod: Sandbox, what: Launch): Promise<string> {
    const outputs: Promise<string>[] = [];
    const started = await startContainerProcess(pod.pid, what, (_, from) => outputs.push(text(from)));
    await started.ended;
    return (await Promise.all(outputs)).join("");
  }

  test("a container has its own hostname, address, processes, files, user and environment", async () => {
    const pod = await sandbox(11);
    const said = await outputOf(
      pod,
      launch(
        "facts",
        'hostname; cat /etc/hostname; echo pid $$; id -u; id -g; id -G; pwd; echo "$GREETING"; env | wc -l; ls -d /proc/[0-9]* | wc -l; ip -4 -o addr show eth0',
      ),
    );
    const lines = said.split("\n");
    assert.deepEqual(lines.slice(0, 8), [
      "pod-11",
      "etc-hostname",
      "pid 1",
      "1000",
      "1001",
      "1001 7",
      "/work",
      "hello  world",
    ]);
    // PATH and GREETING, and PWD which the shell adds: nothing of ours.
    assert.equal(lines[8]?.trim(), "3");
    assert.ok(Number(lines[9]) <= 4, `sees only its own processes, not ${lines[9]}`);
    assert.match(lines[10] ?? "", new RegExp(`inet ${subnet}.0.11/16`));
  });

  test("volumes are mounted at their paths, also inside one another and read-only; the machine sees no mount", async () => {
    const pod = await sandbox(12);
    const [data, inner, file] = [join(dir, "data"), join(dir, "inner"), join(dir, "file")];
    for (const folder of [data, inner]) mkdirSync(folder, { mode: 0o777 });
    execFileSync("chmod", ["777", data]);
    writeFileSync(join(inner, "x"), "from inner\n");
    writeFileSync(file, "from file\n");
    const what = launch(
      "volumes",
      "cat /data/inner/x /etc/one; echo kept > /data/y; echo no > /data/inner/z; sleep 100",
      [
        { type: "bind", source: inner, target: "/data/inner", kind: "directory", options: ["ro"], isOurs: true },
        { type: "bind", source: file, target: "/etc/one", kind: "file", options: ["ro"] },
        { type: "bind", source: data, target: "/data", kind: "directory", isOurs: true },
      ],
    );
    const outputs: Promise<string>[] = [];
    const container = await startContainerProcess(pod.pid, what, (_, from) => outputs.push(text(from)));
    await until(() => existsSync(join(data, "y")), { what: "the file is written" });
    assert.ok(!readFileSync("/proc/self/mountinfo", "utf8").includes(dir));
    container.kill("SIGKILL");
    assert.equal(await container.ended, 137);
    const said = (await Promise.all(outputs)).join("");
    assert.match(said, /from inner\nfrom file\n/);
    assert.match(said, /inner\/z: Read-only file system/);
    assert.ok(!existsSync(join(inner, "z")));
  });

  test("a read-only root refuses writes, a normal one takes them where the user may", async () => {
    const pod = await sandbox(13);
    assert.match(await outputOf(pod, launch("ro", "echo x > /tmp/x", [], true)), /Read-only file system/);
    assert.equal(await outputOf(pod, launch("rw", "echo x > /tmp/x; cat /tmp/x; cat /mnt/* 2> /dev/null")), "x\n");
  });

  test("a program that is not there is told at the start", async () => {
    const pod = await sandbox(14);
    const what = { ...launch("missing", ""), command: ["no-such-program"] };
    await assert.rejects(
      startContainerProcess(pod.pid, what, (_, from) => from.resume()),
      (error) => error instanceof KubeletError && /"no-such-program": executable file not found/.test(error.message),
    );
  });

  test("the main process ends with its own exit code, and takes its children with it", async () => {
    const pod = await sandbox(15);
    const what = launch("exit", "sleep 1000 & exit 3");
    const container = await startContainerProcess(pod.pid, what, (_, from) => from.resume());
    assert.equal(await container.ended, 3);
    // The holder, and the one that waits for it.
    await until(() => processesIn(pod.pid).length === 2, { what: "nothing else is left in the namespace" });
  });

  test("exec runs in the container, as its user, and gives its exit code or gives up in time", async () => {
    const pod = await sandbox(16);
    const what = launch("exec", "sleep 1000");
    const container = await startContainerProcess(pod.pid, what, (_, from) => from.resume());
    const done = await runExec(container.pid, what, ["sh", "-c", "id -u; hostname; pwd; exit 4"], 10_000);
    assert.deepEqual({ ...done }, { exitCode: 4, output: "1000\npod-16\n/work\n", isTimedOut: false });
    assert.equal((await runExec(container.pid, what, ["sleep", "100"], 50)).isTimedOut, true);
  });

  test("destroying the sandbox ends every process in it and its network card", async () => {
    const pod = await sandbox(17);
    const container = await startContainerProcess(pod.pid, launch("destroy", "sleep 1000"), (_, from) => from.resume());
    await pod.destroy();
    assert.equal(await container.ended, 137);
    await until(() => !existsSync(`/sys/class/net/v${tag}17`), { what: "the card is gone" });
  });

  test("when the kubelet is killed with SIGKILL, nothing of a pod is left", async () => {
    const { root } = launch("orphan", "");
    const script = `
      import { startSandbox } from ${JSON.stringify(join(import.meta.dirname, "sandbox.ts"))};
      import { startContainerProcess } from ${JSON.stringify(join(import.meta.dirname, "container-process.ts"))};
      const pod = await startSandbox(${JSON.stringify({ hostname: "o", ip: `${subnet}.0.18`, prefixLength: 16, gateway: `${subnet}.0.1`, bridge, veth: `v${tag}18` })});
      const identity = { uid: 1000, gid: 1000, groups: [], capabilities: [], mayGainPrivileges: true };
      const launch = { root: ${JSON.stringify(root)}, env: new Map([["PATH", "/usr/bin:/bin"]]), workingDir: "/", command: ["sleep", "1000"], identity };
      const container = await startContainerProcess(pod.pid, launch, (_, from) => from.resume());
      console.log(JSON.stringify([pod.pid, container.pid]));`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const [holder, main] = JSON.parse(String(line)) as [number, number];
    assert.ok(isAlive(holder) && isAlive(main));
    child.kill("SIGKILL");
    await until(() => !isAlive(holder) && !isAlive(main), { what: "both are gone" });
    await until(() => !existsSync(`/sys/class/net/v${tag}18`), { what: "the card is gone" });
  });
});

function processesIn(holder: number): string[] {
  const namespaceOf = (pid: string | number) => {
    try {
      return readlinkSync(`/proc/${pid}/ns/net`);
    } catch {
      return "";
    }
  };
  const wanted = namespaceOf(holder);
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && namespaceOf(pid) === wanted);
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
}
