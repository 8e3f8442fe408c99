import type { NodeSeen } from "../model/observation.ts";
import { majorityOf } from "../model/quorum.ts";
import type { ListedMember, Situation } from "../model/situation.ts";

/** A node or a zone with several voters, the oldest pod first. */
export interface Crowd {
  readonly kind: "node" | "zone";
  readonly name: string;
  readonly members: readonly ListedMember[];
}

type Placed = Pick<Situation, "voters" | "seen">;

/**
 * Where a loss would take the majority, though members could be apart: a node, else a zone; undefined where neither
 * does, as far as is known.
 */
export function crowdOf(now: Placed): Crowd | undefined {
  const { voters } = now;
  const sparable = sparableOf(voters.length);
  const node = fullestNode(now);
  if (node && node.members.length > sparable) return node;
  const zone = fullestZone(now);
  return zone && zone.members.length > sparable && canZonesBeBetter(now) ? zone : undefined;
}

/** Where one of the voters is the least useful when only so many are to remain. */
export function sharedPlace(now: Placed, remaining: number): Crowd | undefined {
  const places = [fullestNode(now), fullestZone(now)].filter((place) => place !== undefined);
  return places.find(({ members }) => members.length > sparableOf(remaining)) ?? places[0];
}

/** In how many zones the voters run; undefined where that of one of them is not known. */
export function zonesInUse(now: Placed): number | undefined {
  return votersByZone(now)?.size;
}

/**
 * The zones that can take one voter more and still be lost without the majority; undefined where zones are not known.
 */
export function roomyZones(now: Placed): readonly string[] | undefined {
  const byZone = votersByZone(now);
  if (!byZone) return undefined;
  const sparable = sparableOf(now.voters.length);
  return [...zonesOf(now.seen.nodes ?? [])].filter((zone) => (byZone.get(zone)?.length ?? 0) < sparable).sort();
}

/** How many of so many voters can be lost. */
function sparableOf(voters: number): number {
  return voters - majorityOf(voters);
}

/** The node with most voters, if that are two or more. */
function fullestNode({ voters }: Placed): Crowd | undefined {
  const byNode = new Map<string, ListedMember[]>();
  for (const voter of voters) addTo(byNode, voter.pod?.nodeName, voter);
  return fullest("node", byNode);
}

function fullestZone(now: Placed): Crowd | undefined {
  return fullest("zone", votersByZone(now) ?? new Map());
}

/** All or nothing: a member whose zone is not known may be in any. */
function votersByZone({ voters, seen }: Placed): ReadonlyMap<string, readonly ListedMember[]> | undefined {
  const zoneOf = new Map(seen.nodes?.map(({ name, zone }) => [name, zone]));
  const byZone = new Map<string, ListedMember[]>();
  for (const voter of voters) addTo(byZone, zoneOf.get(voter.pod?.nodeName ?? ""), voter);
  const placed = [...byZone.values()].flat().length;
  return placed > 0 && placed === voters.length ? byZone : undefined;
}

/** Whether there are zones enough for the loss of any one of them to leave a majority. */
function canZonesBeBetter(now: Placed): boolean {
  const byZone = votersByZone(now);
  if (!byZone) return false;
  const sparable = sparableOf(now.voters.length);
  const usable = zonesOf((now.seen.nodes ?? []).filter(({ isUsable }) => isUsable));
  const places = [...new Set([...usable, ...byZone.keys()])].map((zone) =>
    usable.has(zone) ? sparable : Math.min(sparable, byZone.get(zone)?.length ?? 0),
  );
  return places.reduce((sum, each) => sum + each, 0) >= now.voters.length;
}

function zonesOf(nodes: readonly NodeSeen[]): ReadonlySet<string> {
  return new Set(nodes.flatMap(({ zone }) => zone ?? []));
}

function fullest(kind: Crowd["kind"], by: ReadonlyMap<string, readonly ListedMember[]>): Crowd | undefined {
  const [most] = [...by].sort(([a, ofA], [b, ofB]) => ofB.length - ofA.length || (a < b ? -1 : 1));
  if (!most || most[1].length < 2) return undefined;
  const createdAtMs = ({ pod }: ListedMember) => pod?.createdAtMs ?? 0;
  return { kind, name: most[0], members: [...most[1]].sort((a, b) => createdAtMs(a) - createdAtMs(b)) };
}

function addTo(by: Map<string, ListedMember[]>, place: string | undefined, member: ListedMember): void {
  if (place !== undefined) by.set(place, [...(by.get(place) ?? []), member]);
}
