import { obstacleOf, obtainableVersions } from "@etcd-operator/local-kubernetes";

/** For tests: whether these versions of etcd can be had here. The newer ones cannot on a machine without Go. */
export async function canObtain(...versions: readonly string[]): Promise<boolean> {
  const offers = (await obtainableVersions()).filter((offer) => !obstacleOf(offer)).map(({ version }) => version);
  return versions.every((version) => offers.includes(version));
}
