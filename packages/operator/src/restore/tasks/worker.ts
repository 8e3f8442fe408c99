import type { Fence, Logger } from "@etcd-operator/controller-runtime";
import type { Clock, KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdRestore } from "../../api/etcd-restore.ts";
import type { pushSnapshot } from "../../transfer/push-snapshot.ts";
import type { Connect } from "../../transfer/snapshot/choose-member.ts";
import type { OpenBackupStore } from "../../transfer/store/open-backup-store.ts";
import type { Patience } from "./retrying.ts";

/** What a piece of work for one restore has at hand. */
export interface Worker {
  readonly restore: Stored<EtcdRestore>;
  readonly client: Pick<KubeClient, "get" | "list" | "watch">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly fence: Fence;
  readonly logger: Logger;
  /** Opens the store of the restore's spec, and waits for a turn as soon as it is needed; to be closed after use. */
  readonly open: (signal: AbortSignal, isNeeded?: () => Promise<unknown>) => Promise<OpenBackupStore>;
  readonly push: typeof pushSnapshot;
  /** How long what may pass by itself is tried again; as usual when absent. */
  readonly patience?: Patience | undefined;
  /** For tests, whose members do not listen where pods do. */
  readonly connect?: Connect | undefined;
}
