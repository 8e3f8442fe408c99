import { createLogger, Health, InformerSet } from "@etcd-operator/controller-runtime";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { type Clock, EventRecorder, systemClock } from "@etcd-operator/kubernetes-client";
import type { ControllerFactory, Scope } from "@etcd-operator/operator/context/controller-context.ts";
import { Metrics } from "@etcd-operator/operator/context/metrics.ts";

export interface AtWorkGiven {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly isLeading?: (() => boolean) | undefined;
  readonly metrics?: Metrics;
  readonly clock?: Clock | undefined;
}

/** What bears the annotation `other` is another operator's. */
export const OUR_SCOPE: Scope = {
  kind: "namespaced",
  namespace: undefined,
  home: "operator",
  covers: ({ metadata }) => metadata.annotations?.other === undefined,
};

/** For tests: a controller at work in a namespace of a real API server; ends when disposed of. */
export async function controllerAtWork(factory: ControllerFactory, given: AtWorkGiven) {
  const { client, namespace, isLeading = () => true, metrics = new Metrics(), clock = systemClock } = given;
  const abort = new AbortController();
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({ write: (line) => lines.push(JSON.parse(line)) });
  const informers = new InformerSet({ client, namespace, logger });
  const controller = factory.create({
    client,
    informers,
    recorder: new EventRecorder({ client, component: "test" }),
    logger,
    metrics,
    health: new Health(),
    scope: OUR_SCOPE,
    isLeading,
    clock,
    random: Math.random,
  });
  const following = informers.run(abort.signal);
  await informers.waitForSync(abort.signal);
  const running = controller.run(abort.signal);
  return {
    /** Of its log. */
    lines,
    /** Of its metrics. */
    page: async () => (await metrics.page()).text,
    async [Symbol.asyncDispose]() {
      abort.abort();
      await Promise.all([running, following]);
    },
  };
}
