import type { AccountDemand } from './arbiter.ts';

/** One process at one upstream, as far as slots go. */
export interface SlotClaim {
  readonly process: string;
  /** What it may be using, whether it does or not. */
  readonly holds: number;
  /** A silent process cannot be told anything: it keeps what it holds until it can no longer run. */
  readonly isSilent: boolean;
  readonly accounts: readonly Pick<AccountDemand, 'id' | 'weight' | 'running' | 'waiting'>[];
}

/** This part of the slots is handed out to nobody for long, so that whoever is new need not wait for an answer to end. */
const reserveShare = 0.05;
/** Where there are so many slots for each process, every one keeps one and there is a reserve. */
const plentyPerProcess = 2;
/** Of the slots nobody asks for so much is handed out in advance; the rest stays free for whoever asks first. */
const spareShare = 0.5;
/** A slot that several have a part of goes around among them, and stays with each for so long. */
const turnMs = 5000;

/** How many slots there are; those that are one account's are divided without a reserve for others. */
export type Limit = number | { readonly ofOne: number };

export function slotsIn(limit: Limit): number {
  return typeof limit === 'number' ? limit : limit.ofOne;
}

/**
 * What a process may have now: its part of the limit, as far as that leaves what all hold together within the limit. So
 * that sum never grows above it, and where it is above, because the limit was lowered or somebody was taken for dead who
 * was not, nobody begins anything until it is not.
 */
export function mayHave(process: string, limit: Limit, claims: readonly SlotClaim[], nowMs: number): number {
  const others = claims.filter((claim) => claim.process !== process);
  const left = Math.max(0, slotsIn(limit) - sum(others, ({ holds }) => holds));
  return Math.min(divide(limit, claims, nowMs).get(process) ?? 0, left);
}

/**
 * Divides the slots of an upstream among the processes that can be told: each account gets its weighted max-min share of
 * them, wherever its requests are, and each process what its accounts get there, by where their requests run and wait.
 */
export function divide(limit: Limit, claims: readonly SlotClaim[], nowMs: number): ReadonlyMap<string, number> {
  const told = claims.filter(({ isSilent }) => !isSilent);
  const slots = Math.max(0, slotsIn(limit) - sum(claims, (claim) => (claim.isSilent ? claim.holds : 0)));
  const isPlenty = typeof limit === 'number' && told.length > 1 && slots >= plentyPerProcess * told.length;
  const reserve = isPlenty ? Math.max(1, Math.floor(reserveShare * slots)) : 0;
  const floorOf = (claim: SlotClaim): number => (isPlenty && demandOf(claim) === 0 ? 1 : 0);
  const forAccounts = slots - reserve - sum(told, floorOf);
  const shares = fairShares(forAccounts, together(told));
  const unasked = Math.round(forAccounts - sum([...shares.values()], ({ slots }) => slots));
  const spare = Math.ceil(spareShare * unasked) / told.length;
  const parts = told.map((claim) => ({
    claim,
    part: floorOf(claim) + spare + sum(claim.accounts, (account) => partOf(account, shares)),
  }));
  return inWholeSlots(parts, nowMs);
}

interface Want {
  readonly weight: number;
  readonly wants: number;
}

interface Share {
  readonly wants: number;
  readonly slots: number;
}

/**
 * Weighted max-min: nobody gets more than it wants, and who gets less than that gets as much for its weight as anybody.
 * Those who want least for their weight are served first; what they leave is for the others.
 */
export function fairShares<Id>(slots: number, accounts: ReadonlyMap<Id, Want>): ReadonlyMap<Id, Share> {
  const modestFirst = [...accounts].toSorted(
    ([, one], [, other]) => one.wants / one.weight - other.wants / other.weight,
  );
  const shares = new Map<Id, Share>();
  let left = slots;
  let weights = sum(modestFirst, ([, { weight }]) => weight);
  for (const [id, { weight, wants }] of modestFirst) {
    const given = Math.min(wants, (left * weight) / weights);
    shares.set(id, { wants, slots: given });
    left -= given;
    weights -= weight;
  }
  return shares;
}

/** What each account wants at all processes that can be told; where its weight is about to change, the higher one counts. */
function together(claims: readonly SlotClaim[]): ReadonlyMap<string, Want> {
  const wants = new Map<string, Want>();
  for (const { id, weight, running, waiting } of claims.flatMap(({ accounts }) => accounts)) {
    const before = wants.get(id) ?? { weight, wants: 0 };
    wants.set(id, { weight: Math.max(weight, before.weight), wants: before.wants + running + waiting });
  }
  return wants;
}

/** An account's share is where its requests are. */
function partOf({ id, running, waiting }: SlotClaim['accounts'][number], shares: ReadonlyMap<string, Share>): number {
  const share = shares.get(id);
  return share && share.wants > 0 ? (share.slots * (running + waiting)) / share.wants : 0;
}

interface ProcessShare {
  readonly claim: SlotClaim;
  readonly part: number;
}

/**
 * Rounds parts to whole slots, as many in all. What is left of the parts is laid end to end, in the order of the names,
 * and a slot falls on every full length of one; where the first falls goes around with time. So of ten processes with
 * two fifths of a slot each, four have one at any time, and each has one for two fifths of the time.
 */
function inWholeSlots(parts: readonly ProcessShare[], nowMs: number): ReadonlyMap<string, number> {
  const first = (Math.floor(nowMs / turnMs) * goldenRatio) % 1;
  const wholes = new Map<string, number>();
  let laid = 0;
  for (const { claim, part } of parts.toSorted((one, other) => (one.claim.process < other.claim.process ? -1 : 1))) {
    const whole = Math.floor(part + rounding);
    const before = laid;
    laid += Math.max(0, part - whole);
    wholes.set(claim.process, whole + fallen(laid, first) - fallen(before, first));
  }
  return wholes;
}

/** How many slots fall on the first so many lengths, the first of them at a given part of a length. */
function fallen(length: number, first: number): number {
  return Math.ceil(length - first - rounding);
}

/** Its multiples, without their whole parts, fall more evenly than those of any other number. */
const goldenRatio = (1 + Math.sqrt(5)) / 2;
/** What adding up fractions may be off by. */
const rounding = 1e-6;

function demandOf({ accounts }: SlotClaim): number {
  return sum(accounts, ({ running, waiting }) => running + waiting);
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
