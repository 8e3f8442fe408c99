import type { RestoreAsked, Scene } from "./scene.ts";

/** A person asks for a restore, and waits until it has succeeded. */
export async function restoredByHand(scene: Scene, asked: RestoreAsked): Promise<readonly string[]> {
  const name = await scene.applyRestore(asked);
  const status = () => scene.restoreNamed(name)?.status;
  await scene.until(
    () => status()?.succeeded !== undefined,
    `the end of EtcdRestore ${name}`,
    () => status()?.reason,
  );
  const { succeeded, reason } = status() ?? {};
  return succeeded ? [] : [`the EtcdRestore by hand failed: ${reason}`];
}
