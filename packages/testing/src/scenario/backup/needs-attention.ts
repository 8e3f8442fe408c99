import assert from "node:assert/strict";
import type { EtcdBackup } from "@etcd-operator/operator/api/etcd-backup.ts";
import type { BackupsUnderTest } from "./backups-under-test.ts";

type Status = NonNullable<EtcdBackup["status"]>;

export function isTold(text: RegExp): (status: Status) => boolean {
  return (status) => status.succeeded === false && text.test(status.Reason ?? "");
}

/**
 * Waits until a backup has reported what is wrong, fixes it, and waits until there is one; the EtcdBackup is not
 * touched.
 */
export async function recovers(
  backups: BackupsUnderTest,
  name: string,
  { says, mend }: { readonly says: RegExp; readonly mend: () => unknown },
): Promise<Status> {
  const told = await backups.becomes(name, `to say ${says}`, isTold(says));
  process.stdout.write(`  ${name}: ${told.Reason}\n`);
  assert.equal(told.lastError, told.Reason);
  assert.equal(told.conditions?.find(({ type }) => type === "Succeeded")?.reason, "NeedsAttention");
  const { generation } = (await backups.get(name)).metadata;
  const started = performance.now();
  await mend();
  const status = await backups.succeeds(name);
  process.stdout.write(`  ${name}: recovered after ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  assert.equal((await backups.get(name)).metadata.generation, generation);
  assert.equal(status.Reason, undefined);
  return status;
}
