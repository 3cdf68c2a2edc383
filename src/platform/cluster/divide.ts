import { assert } from 'chat-formats/assert.ts';
import type { AccountDemand } from './arbiter.ts';

/** The slots and the demand of one process at one upstream. */
export interface SlotClaim {
  readonly process: string;
  /** The slots that it may be using, whether it does or not. */
  readonly holds: number;
  /** A silent process receives no reply: it keeps its slots until it can no longer run calls. */
  readonly isSilent: boolean;
  readonly accounts: readonly Pick<AccountDemand, 'id' | 'weight' | 'running' | 'waiting'>[];
  /** The same for requests of the idle class. */
  readonly idle?: SlotClaim['accounts'] | undefined;
}

/** This share of the slots stays free, so that a new process need not wait for an answer to end. */
const reserveShare = 0.05;
/** With this many slots per process, each keeps at least one and there is a reserve. */
const plentyPerProcess = 2;
/** This share of the unrequested slots is granted in advance; the rest stays free for the first that needs it. */
const spareShare = 0.5;
/** A slot shared by several processes rotates among them, and stays with each for this long. */
const rotationMs = 5000;

/** The slots that stay free of idle requests. An only slot has rules of its own, in `serving/routing/queue/idle-queue`. */
export function idleReserve(limit: number): number {
  return limit < 2 ? 0 : Math.ceil(limit / 10);
}

/** The number of slots. `ofOne`: all of one account, divided without a reserve for other accounts. */
export type Limit = number | { readonly ofOne: number };

export function slotsIn(limit: Limit): number {
  return typeof limit === 'number' ? limit : limit.ofOne;
}

/**
 * The slots a process may use now: its part, reduced so that all processes together hold no more than the limit. So the
 * sum never grows above the limit. It may be above after the limit was lowered, or after a live process was counted as
 * expired. Then no process starts a call until the sum is within the limit again.
 */
export function allowedSlots(process: string, limit: Limit, claims: readonly SlotClaim[], nowMs: number): number {
  const others = claims.filter((claim) => claim.process !== process);
  const left = Math.max(0, slotsIn(limit) - heldSlots(others));
  return Math.min(divide(limit, claims, nowMs).get(process) ?? 0, left);
}

/** How many of the process's slots it may use for requests of the idle class. */
export function allowedIdleSlots(process: string, limit: Limit, claims: readonly SlotClaim[], nowMs: number): number {
  return divideBoth(limit, claims, nowMs).idle.get(process) ?? 0;
}

/**
 * Divides the slots of an upstream among the processes that are not silent. Each account gets its weighted max-min
 * share, over all processes. Each process gets the shares of its accounts, in proportion to their requests there.
 * Requests of the idle class get slots that no other request of any process wants, except for a reserve.
 */
export function divide(limit: Limit, claims: readonly SlotClaim[], nowMs: number): ReadonlyMap<string, number> {
  return divideBoth(limit, claims, nowMs).wholes;
}

interface Division {
  readonly wholes: ReadonlyMap<string, number>;
  /** The part of them for requests of the idle class. */
  readonly idle: ReadonlyMap<string, number>;
}

function divideBoth(limit: Limit, claims: readonly SlotClaim[], nowMs: number): Division {
  const reachable = claims.filter(({ isSilent }) => !isSilent);
  const slots = Math.max(0, slotsIn(limit) - sum(claims, (claim) => (claim.isSilent ? claim.holds : 0)));
  const isPlenty = typeof limit === 'number' && reachable.length > 1 && slots >= plentyPerProcess * reachable.length;
  const reserve = isPlenty ? Math.max(1, Math.floor(reserveShare * slots)) : 0;
  const floorOf = (claim: SlotClaim): number => (isPlenty && demandOf(claim) === 0 ? 1 : 0);
  const forAccounts = slots - reserve - sum(reachable, floorOf);
  const shares = fairShares(forAccounts, totalDemands(reachable, accountsOf));
  const unrequested = Math.round(forAccounts - sum([...shares.values()], ({ slots }) => slots));
  const free = slots - forAccounts;
  const idle = divideIdle(unrequested - Math.max(0, idleReserve(slotsIn(limit)) - free), reachable, nowMs);
  const spare = Math.ceil(spareShare * (unrequested - sum([...idle.values()], (slots) => slots))) / reachable.length;
  const parts = reachable.map((claim) => ({
    claim,
    part:
      floorOf(claim) +
      spare +
      (idle.get(claim.process) ?? 0) +
      sum(claim.accounts, (account) => partOf(account, shares)),
  }));
  const wholes = roundToWholeSlots(parts, nowMs);
  assert(sum([...wholes.values()], (whole) => whole) <= slots, 'parts together never exceed the free slots');
  return { wholes, idle };
}

/** Divides whole slots by the same rules among the requests of the idle class. */
function divideIdle(slots: number, claims: readonly SlotClaim[], nowMs: number): ReadonlyMap<string, number> {
  if (slots <= 0 || !claims.some(({ idle }) => idle)) return new Map();
  const shares = fairShares(slots, totalDemands(claims, idleOf));
  const parts = claims.map((claim) => ({ claim, part: sum(idleOf(claim), (account) => partOf(account, shares)) }));
  return roundToWholeSlots(parts, nowMs);
}

const accountsOf = ({ accounts }: SlotClaim): SlotClaim['accounts'] => accounts;
const idleOf = ({ idle }: SlotClaim): SlotClaim['accounts'] => idle ?? [];

interface WeightedDemand {
  readonly weight: number;
  readonly wants: number;
}

interface Share {
  readonly wants: number;
  readonly slots: number;
}

/**
 * Weighted max-min: no account gets more than it wants, and accounts that get less all get the same per weight. No
 * account gets more per weight than those. Accounts that want least for their weight are served first; the rest is for
 * the others.
 */
export function fairShares<Id>(slots: number, accounts: ReadonlyMap<Id, WeightedDemand>): ReadonlyMap<Id, Share> {
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

/** The demand of each account at all processes that are not silent. Of two weights, the higher one counts. */
function totalDemands(
  claims: readonly SlotClaim[],
  demandsOf: (claim: SlotClaim) => SlotClaim['accounts'],
): ReadonlyMap<string, WeightedDemand> {
  const wants = new Map<string, WeightedDemand>();
  for (const { id, weight, running, waiting } of claims.flatMap(demandsOf)) {
    const before = wants.get(id) ?? { weight, wants: 0 };
    wants.set(id, { weight: Math.max(weight, before.weight), wants: before.wants + running + waiting });
  }
  return wants;
}

/** Splits an account's share by where its requests are. */
function partOf({ id, running, waiting }: SlotClaim['accounts'][number], shares: ReadonlyMap<string, Share>): number {
  const share = shares.get(id);
  return share && share.wants > 0 ? (share.slots * (running + waiting)) / share.wants : 0;
}

interface ProcessShare {
  readonly claim: SlotClaim;
  readonly part: number;
}

/**
 * Rounds parts to whole slots without changing their sum. The fractions are laid end to end, in the order of the
 * process names, and every full unit of length carries one slot. The offset of the first slot moves with time. Example:
 * ten processes with 0.4 slots each. At any time four have a slot, and each has one for 40 % of the time.
 */
function roundToWholeSlots(parts: readonly ProcessShare[], nowMs: number): ReadonlyMap<string, number> {
  const first = (Math.floor(nowMs / rotationMs) * goldenRatio) % 1;
  const wholes = new Map<string, number>();
  let covered = 0;
  for (const { claim, part } of parts.toSorted((one, other) => (one.claim.process < other.claim.process ? -1 : 1))) {
    const whole = Math.floor(part + rounding);
    const before = covered;
    covered += Math.max(0, part - whole);
    wholes.set(claim.process, whole + slotsWithin(covered, first) - slotsWithin(before, first));
  }
  return wholes;
}

/** How many slots lie within the first `length` units, if the first one lies at `first`. */
function slotsWithin(length: number, first: number): number {
  return Math.ceil(length - first - rounding);
}

/** The fractional parts of its multiples are spread more evenly than those of any other number. */
const goldenRatio = (1 + Math.sqrt(5)) / 2;
/** Tolerance for the rounding error of adding fractions. */
const rounding = 1e-6;

function demandOf({ accounts }: SlotClaim): number {
  return sum(accounts, ({ running, waiting }) => running + waiting);
}

/** The slots that these processes may be using together. */
export function heldSlots(claims: readonly SlotClaim[]): number {
  return sum(claims, ({ holds }) => holds);
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
