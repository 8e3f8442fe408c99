import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdModel } from "../model/etcd-model.ts";
import type { StoredObjects } from "../world/stored-objects.ts";

type Etcd = Pick<EtcdModel, "processes">;

/** What was left behind without an owner, or is being deleted without an end. */
export function leaks(objects: StoredObjects, etcd: Etcd): readonly string[] {
  const all = objects.plurals.flatMap((plural) => objects.named(plural).map((object) => ({ plural, object })));
  const uids = new Set(all.map(({ object }) => object.metadata.uid));
  const claims = new Set(objects.named("persistentvolumeclaims").map(({ metadata }) => metadata.uid));
  return [
    ...all.flatMap(({ plural, object }) => {
      const what = `${plural}/${object.metadata.name}`;
      return [...(isStuck(object) ? [`${what} waits to be deleted`] : []), ...strayOwners(what, object, uids)];
    }),
    ...objects
      .named("persistentvolumes")
      .filter((volume) => !claims.has(claimOf(volume) ?? ""))
      .map(({ metadata }) => `persistentvolumes/${metadata.name} belongs to no claim`),
    ...strayMembers(new Set(objects.named("pods").map(({ metadata }) => metadata.name)), etcd),
  ];
}

function isStuck({ metadata }: Stored): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function strayOwners(what: string, { metadata }: Stored, uids: ReadonlySet<string>): readonly string[] {
  const { ownerReferences = [] } = metadata;
  const gone = ownerReferences.filter(({ uid }) => !uids.has(uid));
  return gone.map(({ kind, name }) => `${what} has outlived its owner, ${kind} ${name}`);
}

function claimOf(volume: Stored): string | undefined {
  const { spec } = volume as Stored & { readonly spec?: { readonly claimRef?: { readonly uid?: string } } };
  return spec?.claimRef?.uid;
}

/** Members are pods: every etcd runs in one, and every member on a leader's list has one. */
function strayMembers(pods: ReadonlySet<string>, { processes }: Etcd): readonly string[] {
  const without = processes.filter(({ launch }) => !pods.has(launch.pod));
  const leaders = processes.filter(({ role }) => role === "leader");
  const listed = leaders.flatMap(({ data }) => [...data.state.members.values()]);
  return [
    ...without.map(({ launch }) => `an etcd runs on without its pod, ${launch.pod}`),
    ...listed
      .filter(({ name }) => !pods.has(name))
      .map(({ name, peerUrls }) => `${name || peerUrls.join()} is a member and has no pod`),
  ];
}
