import type { AccountDemand } from './arbiter.ts';

/** One process at one upstream, as far as places go. */
export interface Claim {
  readonly process: string;
  /** What it may be using, whether it does or not. */
  readonly holds: number;
  /** A silent process cannot be told anything: it keeps what it holds until it can no longer run. */
  readonly isSilent: boolean;
  /** How long somebody there has waited since their account's last turn. */
  readonly waitedMs: number;
  readonly accounts: readonly Pick<AccountDemand, 'id' | 'weight' | 'running' | 'waiting'>[];
}

/** This part of the places is handed out to nobody for long, so that whoever is new need not wait for an answer to end. */
const reserveShare = 0.05;
/** Where there are so many places for each process, every one keeps one and there is a reserve. */
const plentyPerProcess = 2;
/** Of the places nobody asks for so much is handed out in advance; the rest stays free for whoever asks first. */
const spareShare = 0.5;
/** Where there is less than one place for each, whoever has waited for longer comes first, counted in steps of this. */
const patienceStepMs = 5000;

/**
 * What a process may have now: its part of the limit if that is less than it holds, and otherwise more of it as far as
 * places are free. So what all hold together never grows above the limit, whatever it is and whoever is silent.
 */
export function mayHave(process: string, limit: number, claims: readonly Claim[]): number {
  const own = claims.find((claim) => claim.process === process);
  const holds = own?.holds ?? 0;
  const free = Math.max(0, limit - sum(claims, (claim) => claim.holds));
  return Math.min(divide(limit, claims).get(process) ?? 0, holds + free);
}

/**
 * Divides the places of an upstream among the processes that can be told: each account gets its weighted max-min share of
 * them, wherever its requests are, and each process what its accounts get there, by where their requests run and wait.
 */
export function divide(limit: number, claims: readonly Claim[]): ReadonlyMap<string, number> {
  const told = claims.filter(({ isSilent }) => !isSilent);
  const places = Math.max(0, limit - sum(claims, (claim) => (claim.isSilent ? claim.holds : 0)));
  const isPlenty = told.length > 1 && places >= plentyPerProcess * told.length;
  const reserve = isPlenty ? Math.max(1, Math.floor(reserveShare * places)) : 0;
  const floorOf = (claim: Claim): number => (isPlenty && demandOf(claim) === 0 ? 1 : 0);
  const forAccounts = places - reserve - sum(told, floorOf);
  const shares = fairShares(forAccounts, together(told));
  const unasked = Math.round(forAccounts - sum([...shares.values()], ({ places }) => places));
  const spare = Math.ceil(spareShare * unasked) / told.length;
  const parts = told.map((claim) => ({
    claim,
    part: floorOf(claim) + spare + sum(claim.accounts, (account) => partOf(account, shares)),
  }));
  return inWholePlaces(parts);
}

interface Want {
  readonly weight: number;
  readonly wants: number;
}

interface Share {
  readonly wants: number;
  readonly places: number;
}

/**
 * Weighted max-min: nobody gets more than it wants, and who gets less than that gets as much for its weight as anybody.
 * Those who want least for their weight are served first; what they leave is for the others.
 */
export function fairShares<Id>(places: number, accounts: ReadonlyMap<Id, Want>): ReadonlyMap<Id, Share> {
  const modestFirst = [...accounts].toSorted(
    ([, one], [, other]) => one.wants / one.weight - other.wants / other.weight,
  );
  const shares = new Map<Id, Share>();
  let left = places;
  let weights = sum(modestFirst, ([, { weight }]) => weight);
  for (const [id, { weight, wants }] of modestFirst) {
    const given = Math.min(wants, (left * weight) / weights);
    shares.set(id, { wants, places: given });
    left -= given;
    weights -= weight;
  }
  return shares;
}

/** What each account wants at all processes that can be told; its weight is the latest anyone knows of. */
function together(claims: readonly Claim[]): ReadonlyMap<string, Want> {
  const wants = new Map<string, Want>();
  for (const { id, weight, running, waiting } of claims.flatMap(({ accounts }) => accounts)) {
    wants.set(id, { weight, wants: (wants.get(id)?.wants ?? 0) + running + waiting });
  }
  return wants;
}

/** An account's share is where its requests are. */
function partOf({ id, running, waiting }: Claim['accounts'][number], shares: ReadonlyMap<string, Share>): number {
  const share = shares.get(id);
  return share && share.wants > 0 ? (share.places * (running + waiting)) / share.wants : 0;
}

/** Rounds parts to whole places, as many in all. A place that several have a part of goes to who has waited, or has it already. */
function inWholePlaces(parts: readonly Part[]): ReadonlyMap<string, number> {
  const wholes = new Map(parts.map((part) => [part.claim.process, wholeOf(part)]));
  const left = Math.floor(sum(parts, ({ part }) => part) + rounding) - sum(parts, wholeOf);
  const inOrder = parts.toSorted((one, other) => urgency(other) - urgency(one) || other.claim.holds - one.claim.holds);
  for (const { claim } of inOrder.slice(0, left)) wholes.set(claim.process, (wholes.get(claim.process) ?? 0) + 1);
  return wholes;
}

interface Part {
  readonly claim: Claim;
  readonly part: number;
}

/** What adding up fractions may be off by. */
const rounding = 1e-6;

function wholeOf({ part }: Part): number {
  return Math.floor(part + rounding);
}

function urgency({ claim, part }: Part): number {
  const patience = 1 + Math.floor(claim.waitedMs / patienceStepMs);
  return Math.round(((part - wholeOf({ claim, part })) * patience) / rounding);
}

function demandOf({ accounts }: Claim): number {
  return sum(accounts, ({ running, waiting }) => running + waiting);
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
