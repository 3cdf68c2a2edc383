import type { SlotLease, ClusterMember, MemberResource, ArbiterReply, Report, ResourceReport } from './arbiter.ts';
import { type SlotClaim, divide, type Limit, mayHave, slotsIn } from './divide.ts';
import { mergeSharedState, type StoredSharedState } from './shared-state.ts';

/** A process that was given slots may use them for so long without hearing from the arbiter again. */
export const leaseMs = 10_000;
/** Calls that a process has made may go on for so long after that. */
export const lingerMs = 30_000;
/** Who was not heard of for so long is given nothing it did not have. */
const silentAfterMs = 3000;
/** A process that is silent for so long is given up, whatever its connection looks like. */
const timeoutMs = 600_000;
/** When nobody at all was heard of for so long, it was the arbiter that was away. */
const breakMs = 5000;
/** Who was heard of so much later than now was heard of before the clock was set back. */
const aheadMs = 3000;

/** All that an arbiter knows, wherever it is kept. */
export interface LeaseBook {
  readonly members: readonly ClusterMember[];
  readonly news: readonly StoredSharedState[];
}

/** What a report changes. */
export interface HeardClaim {
  readonly reply: ArbiterReply;
  /** Replaces what the book says of the process. */
  readonly member: ClusterMember;
  /** Replace what it says of others: they were heard of before the clock was set back. */
  readonly corrected: readonly ClusterMember[];
  /** Those that can no longer run anything. */
  readonly gone: readonly string[];
  /** Replaces what the book says of these subjects. */
  readonly news: readonly StoredSharedState[];
  /** Those for whom something changed. */
  readonly wake: readonly string[];
}

/** Hears one report and divides anew, on what all others last said. `undefined` for one that was overtaken by a later one. */
export function hear(book: LeaseBook, report: Report, nowMs: number): HeardClaim | undefined {
  const before = book.members.find(({ process }) => process === report.process);
  if (before && before.number >= report.number) return undefined;
  const members = book.members.map((member) => notAhead(member, nowMs));
  const others = members.filter(({ process }) => process !== report.process);
  const awakeSinceMs = awakeSince(members, nowMs);
  const gone = others.filter((member) => report.dead.includes(member.process) || isGone(member, awakeSinceMs, nowMs));
  const staying = others.filter((member) => !gone.includes(member));
  const beside = { others: staying, awakeSinceMs, nowMs };
  const divided = report.resources.map((resource) => divideOne(report.process, resource, beside));
  const { process, home, number } = report;
  const { told, ...news } = mergeSharedState(book.news, report, nowMs);
  return {
    reply: {
      leaseMs,
      processes: staying.length + 1,
      resources: divided.map(({ lease }) => lease),
      silent: staying
        .filter((member) => isSilent(member, nowMs))
        .map((member) => ({ process: member.process, home: member.home })),
      news: told,
      newsSeen: news.seen,
    },
    member: {
      process,
      home,
      number,
      heardMs: nowMs,
      processes: staying.length + 1,
      isConnected: true,
      awakeSinceMs,
      resources: divided.map(({ kept }) => kept),
    },
    corrected: staying.filter((member) => !book.members.includes(member)),
    gone: gone.map((member) => member.process),
    news: news.kept,
    wake:
      news.kept.length > 0
        ? staying.map((member) => member.process)
        : [...new Set(divided.flatMap(({ wake }) => wake))],
  };
}

interface Others {
  readonly others: readonly ClusterMember[];
  readonly awakeSinceMs: number;
  readonly nowMs: number;
}

/** Another process, and what it last said of the upstream. */
interface Beside {
  readonly member: ClusterMember;
  readonly said: MemberResource;
}

function divideOne(process: string, resource: ResourceReport, { others, awakeSinceMs, nowMs }: Others) {
  const beside = others.flatMap((member) => {
    const said = member.resources.find(({ name }) => name === resource.name);
    return said ? [{ member, said }] : [];
  });
  const told = beside.filter(({ member }) => !isSilent(member, nowMs)).map(({ said }) => said.limit);
  const limit = Math.min(resource.limit, ...told);
  const besideClaims = beside.map(({ member, said }) => claimOf(member, said, { limit, awakeSinceMs, nowMs }));
  const own: SlotClaim = {
    process,
    holds: Math.max(resource.has, resource.running),
    isSilent: false,
    accounts: resource.accounts,
  };
  const slots = resource.isOfOne ? { ofOne: limit } : limit;
  const may = mayHave(process, slots, [own, ...besideClaims], nowMs);
  const has = Math.max(own.holds, may);
  const after = balanceOf(slots, [{ ...own, holds: has }, ...besideClaims], nowMs);
  const lease: SlotLease = {
    name: resource.name,
    limit,
    may,
    isWaitedFor: after.isShort,
    ...elsewhere(resource, beside, nowMs),
  };
  const kept: MemberResource = { ...resource, has, may };
  return { lease, kept, wake: toWake(after, beside) };
}

/**
 * Past the end of its lease, a process that lives goes over to its part of the limit: from below as soon as the others
 * have had time to make room for it, from above as soon as its calls are over. They are taken to be over only by time in
 * which it could have said so: where the arbiter was away, or its clock was set forward, they may all still run.
 */
function claimOf(
  { process, heardMs, processes }: ClusterMember,
  { has, running, accounts }: ResourceReport,
  { limit, awakeSinceMs, nowMs }: Omit<Others, 'others'> & { readonly limit: number },
): SlotClaim {
  const silentMs = nowMs - heardMs;
  const part = silentMs > leaseMs ? Math.floor(limit / processes) : 0;
  const isOver = Math.min(silentMs, nowMs - awakeSinceMs) > leaseMs + lingerMs;
  const holds = isOver ? part : Math.max(has, running, part);
  return { process, holds, isSilent: silentMs > silentAfterMs, accounts };
}

interface ClaimBalance {
  readonly free: number;
  readonly parts: ReadonlyMap<string, number>;
  readonly claims: readonly SlotClaim[];
  /** Whether more is wanted by those who wait than is free. */
  readonly isShort: boolean;
}

function balanceOf(limit: Limit, claims: readonly SlotClaim[], nowMs: number): ClaimBalance {
  const parts = divide(limit, claims, nowMs);
  const free = Math.max(0, slotsIn(limit) - claims.reduce((sum, { holds }) => sum + holds, 0));
  const wanted = claims.reduce((sum, claim) => sum + lackOf(claim, parts), 0);
  return { free, parts, claims, isShort: wanted > free };
}

/** What a process with somebody waiting could have and does not hold. */
function lackOf({ process, holds, accounts }: SlotClaim, parts: ReadonlyMap<string, number>): number {
  const isWaiting = accounts.some(({ waiting }) => waiting > 0);
  return isWaiting ? Math.max(0, (parts.get(process) ?? 0) - holds) : 0;
}

/** Whoever waits and can have something that is free; and, if that is not enough, who has too much and was not told. */
function toWake({ free, parts, claims, isShort }: ClaimBalance, beside: readonly Beside[]): readonly string[] {
  let left = free;
  return beside.flatMap(({ member: { process }, said }) => {
    const claim = claims.find((each) => each.process === process);
    if (!claim || claim.isSilent) return [];
    const lack = Math.min(left, lackOf(claim, parts));
    left -= lack;
    const part = parts.get(process) ?? 0;
    const isToGive = isShort && part < Math.min(claim.holds, said.may);
    return lack > 0 || isToGive ? [process] : [];
  });
}

/** A silent process serves nothing: what its accounts have there takes nothing from what they get elsewhere. */
function elsewhere(
  resource: ResourceReport,
  beside: readonly Beside[],
  nowMs: number,
): Pick<SlotLease, 'elsewhere' | 'accounts'> {
  const sums = new Map(resource.accounts.map(({ id }) => [id, { running: 0, wants: 0 }]));
  const heard = beside.filter(({ member }) => !isSilent(member, nowMs));
  for (const { id, running, waiting } of heard.flatMap(({ said }) => said.accounts)) {
    const sum = sums.get(id);
    if (sum) sums.set(id, { running: sum.running + running, wants: sum.wants + running + waiting });
  }
  return {
    elsewhere: {
      running: beside.reduce((sum, { said }) => sum + said.running, 0),
      waiting: beside.reduce((sum, { said }) => sum + said.waiting, 0),
    },
    accounts: [...sums].filter(([, { wants }]) => wants > 0).map(([id, sum]) => ({ id, ...sum })),
  };
}

function isSilent({ heardMs }: ClusterMember, nowMs: number): boolean {
  return nowMs - heardMs > silentAfterMs;
}

/** Whoever lives is heard of within a lease of the arbiter's return, or still has its connection. */
function isGone({ heardMs, isConnected }: ClusterMember, awakeSinceMs: number, nowMs: number): boolean {
  const silentMs = nowMs - heardMs;
  return silentMs > (isConnected ? timeoutMs : leaseMs + lingerMs) && nowMs - awakeSinceMs > leaseMs;
}

/** It counts as if it had been heard of now: if it lives, it is heard of again within a second. */
function notAhead(member: ClusterMember, nowMs: number): ClusterMember {
  return member.heardMs > nowMs + aheadMs ? { ...member, heardMs: nowMs, awakeSinceMs: nowMs } : member;
}

function awakeSince(members: readonly ClusterMember[], nowMs: number): number {
  const heardMs = Math.max(...members.map((member) => member.heardMs));
  return nowMs - heardMs > breakMs ? nowMs : Math.max(...members.map((member) => member.awakeSinceMs));
}
