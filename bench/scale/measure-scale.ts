import { kubernetesBinaries } from "@etcd-operator/testing/kube/control-plane/binaries.ts";
import type { Cleanup } from "../cleanup.ts";
import type { Figure } from "../figure.ts";
import { repetitions } from "../repetitions.ts";
import { type Care, type Measured, measured } from "./measured.ts";
import { figuresOf, growthOf, PROMISED_FOR } from "./scale-figures.ts";
import { silentZone } from "./silent-zone.ts";
import { Stage } from "./stage.ts";

const FLEETS = [100, 1_000, 5_000];
const THOROUGH: Care = { starts: 5, idle: { seconds: 60, windows: 5 }, changes: { seconds: 10, rounds: 5 } };
const QUICK: Care = { starts: 1, idle: { seconds: 20, windows: 2 }, changes: { seconds: 10, rounds: 1 } };
const isThorough = repetitions(1, 0) === 1;

/** The operator with hundreds and thousands of clusters, whose members one process simulates. */
export async function measureScale(cleanup: Cleanup): Promise<readonly Figure[]> {
  if (process.env.VARIANT === "silent-zone") return withSilentZone(cleanup, fleets().at(-1));
  const found: Measured[] = [];
  const stage = await Stage.set({}, cleanup);
  for (const clusters of fleets()) {
    found.push(await measured(stage, clusters, isThorough ? THOROUGH : QUICK));
  }
  await cleanup.run();
  const growth = found.slice(1).flatMap((more, at) => growthOf(found[at] ?? more, more));
  const plain = [...found.flatMap((each) => figuresOf(each)), ...growth];
  if (!isThorough) return plain;
  return [
    ...plain,
    ...(await withSilentZone(cleanup)),
    ...(await withCertificates(cleanup)),
    ...(await onTheRealOne(cleanup)),
  ];
}

/** With one member of each cluster that answers nothing. */
async function withSilentZone(cleanup: Cleanup, clusters = PROMISED_FOR): Promise<readonly Figure[]> {
  const figures = await silentZone(await Stage.set({}, cleanup), clusters);
  await cleanup.run();
  return figures;
}

/**
 * As `CLUSTERS` says, as in "100 1000"; else all of them, or the one that promises are about when it has to be quick.
 */
function fleets(): readonly number[] {
  const asked = (process.env.CLUSTERS ?? "").split(/[\s,]+/).filter((word) => /^[1-9]\d*$/.test(word));
  return asked.length > 0 ? asked.map(Number).sort((a, b) => a - b) : isThorough ? FLEETS : [PROMISED_FOR];
}

/** As many with certificates. */
async function withCertificates(cleanup: Cleanup): Promise<readonly Figure[]> {
  const stage = await Stage.set({ isTls: true }, cleanup);
  const found = await measured(stage, PROMISED_FOR, THOROUGH);
  await cleanup.run();
  return figuresOf(found, { about: "scale, with TLS", isTls: true });
}

/** As many on a real API server, to see that the local one does not flatter. */
async function onTheRealOne(cleanup: Cleanup): Promise<readonly Figure[]> {
  const kubeApiServer = await kubernetesBinaries().then(
    ({ apiserver }) => apiserver,
    () => undefined,
  );
  if (kubeApiServer === undefined) return [];
  const stage = await Stage.set({ kubeApiServer }, cleanup);
  return figuresOf(await measured(stage, PROMISED_FOR, THOROUGH), { about: "scale, on kube-apiserver" });
}
