import { randomOf } from "../../test/model/random.ts";
import { kubernetesBinaries } from "../../test/support/kube/binaries.ts";
import { type LoadServer, type LoadServerGiven, startLoadServer } from "../../test/support/load/load-server.ts";
import { cpuSeconds, residentMib } from "../../test/support/load/process-usage.ts";
import { type LoadReport, runLoad } from "../../test/support/load/run-load.ts";
import type { Cleanup } from "../cleanup.ts";
import { type Figure, figure } from "../figure.ts";
import { repetitions } from "../repetitions.ts";

const WRITES_PER_SECOND = 2_000;
const SECONDS = 60;
const COMPARED_SECONDS = 5;

interface Measured extends LoadReport {
  /** What each process took of the processors, in microseconds per write. */
  readonly cpu: Readonly<Record<"server" | "store" | "client", number>>;
  /** Resident memory of the server after a quarter of the writes, and after all of them. */
  readonly memory: readonly [early: number, late: number];
}

/** 2,000 writes a second with 200 watches, on our API server for a minute, and in turns with a real kube-apiserver for a while. */
export async function measureLoad(cleanup: Cleanup): Promise<readonly Figure[]> {
  const whole = await measured({}, repetitions(SECONDS, COMPARED_SECONDS), cleanup);
  complain(whole);
  const { seconds, writes, cpu, memory } = whole;
  const asked = writes / WRITES_PER_SECOND;
  const load = [
    figure({
      ...{ name: `API server load: ${writes} writes, ${WRITES_PER_SECOND} a second, ${whole.watches} watches` },
      ...{ unit: "s", values: [seconds], limits: [asked], goal: 1.02 },
    }),
  ];
  const memoryFigure = figure({
    ...{ name: "API server load: memory at the end, beside that after a quarter", unit: "MiB" },
    ...{ values: [memory[1]], limits: [memory[0]], goal: 1.1 },
  });
  // In the first seconds the heap grows to what it needs.
  if (asked >= SECONDS) load.push(memoryFigure);
  return [...load, ...(await besideTheRealOne(cpu, cleanup))];
}

async function besideTheRealOne(parts: Measured["cpu"], cleanup: Cleanup): Promise<readonly Figure[]> {
  const kubeApiServer = await kubernetesBinaries().then(
    ({ apiserver }) => apiserver,
    () => undefined,
  );
  if (kubeApiServer === undefined) return [];
  const [values, limits]: [number[], number[]] = [[], []];
  for (let round = 0; round < repetitions(2, 1); round += 1) {
    values.push((await measured({}, COMPARED_SECONDS, cleanup)).cpu.server);
    limits.push((await measured({ kubeApiServer }, COMPARED_SECONDS, cleanup)).cpu.server);
  }
  const name = "API server load: processor time per write, beside kube-apiserver";
  return [figure({ name, unit: "µs", values, limits, goal: 1, parts })];
}

async function measured(given: LoadServerGiven, seconds: number, cleanup: Cleanup): Promise<Measured> {
  const server = await cleanup.use(startLoadServer(given), ({ close }) => close());
  try {
    return await underLoad(server, seconds);
  } finally {
    await server.close();
  }
}

async function underLoad({ access, pids }: LoadServer, seconds: number): Promise<Measured> {
  const before = [await cpuSeconds(pids.server), await cpuSeconds(pids.store)];
  let early = Promise.resolve(0);
  const report = await runLoad({
    ...{ access, random: randomOf(1), writesPerSecond: WRITES_PER_SECOND, seconds },
    onQuarter: () => {
      early = residentMib(pids.server);
    },
  });
  const late = await residentMib(pids.server);
  const after = [await cpuSeconds(pids.server), await cpuSeconds(pids.store)];
  const perWrite = (used: number) => (used * 1e6) / report.writes;
  const [server = 0, store = 0] = after.map((used, index) => perWrite(used - (before[index] ?? 0)));
  return { ...report, cpu: { server, store, client: perWrite(report.clientCpuSeconds) }, memory: [await early, late] };
}

function complain({ problems }: LoadReport): void {
  if (problems.length === 0) return;
  throw new Error(`${problems.length} events were wrong:\n${problems.slice(0, 10).join("\n")}`);
}
