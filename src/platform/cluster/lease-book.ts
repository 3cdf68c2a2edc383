import type {
  AccountDemand,
  AccountElsewhere,
  ArbiterReply,
  ClusterMember,
  MemberResource,
  Report,
  ResourceReport,
  SlotLease,
} from './arbiter.ts';
import { assert } from 'chat-formats/assert.ts';
import { type SlotClaim, allowedIdleSlots, allowedSlots, divide, heldSlots, type Limit, slotsIn } from './divide.ts';
import { mergeSharedState, type StoredSharedState } from './shared-state.ts';

/** How long a process may use its leased slots without another reply from the arbiter. */
export const leaseMs = 10_000;
/** How much longer calls may run that the process made before its lease ended. */
export const lingerMs = 30_000;
/** A process that has not reported for this long gets no slots beyond those it has. */
const silentAfterMs = 3000;
/** A process that is silent for this long is removed, even if its connection is open. */
const timeoutMs = 600_000;
/** If no process at all reported for this long, the arbiter itself was away. */
const breakMs = 5000;
/** A process last seen this far in the future was last seen before the clock was set back. */
const aheadMs = 3000;

/** The whole state of an arbiter. */
export interface LeaseBook {
  readonly members: readonly ClusterMember[];
  readonly sharedState: readonly StoredSharedState[];
}

export interface AppliedReport {
  readonly reply: ArbiterReply;
  readonly member: ClusterMember;
  /** Replace other members that were last seen before the clock was set back. */
  readonly corrected: readonly ClusterMember[];
  /** Processes that can no longer run anything. */
  readonly gone: readonly string[];
  /** Replaces the shared state of these subjects. */
  readonly sharedState: readonly StoredSharedState[];
  /** Processes that should report soon, because something changed for them. */
  readonly wake: readonly string[];
}

/** Divides the slots again. Returns `undefined` if a later report of the process was applied before. */
export function applyReport(book: LeaseBook, report: Report, nowMs: number): AppliedReport | undefined {
  const before = book.members.find(({ process }) => process === report.process);
  if (before && before.number >= report.number) return undefined;
  const members = book.members.map((member) => withoutFutureTime(member, nowMs));
  const others = members.filter(({ process }) => process !== report.process);
  const awakeSinceMs = awakeSince(members, nowMs);
  const gone = others.filter((member) => report.dead.includes(member.process) || isGone(member, awakeSinceMs, nowMs));
  const staying = others.filter((member) => !gone.includes(member));
  const context = { others: staying, awakeSinceMs, nowMs };
  const divided = report.resources.map((resource) => divideOne(report.process, resource, context));
  const { process, host, number } = report;
  const { added, unseen, seen } = mergeSharedState(book.sharedState, report, nowMs);
  return {
    reply: {
      leaseMs,
      processes: staying.length + 1,
      resources: divided.map(({ lease }) => lease),
      silent: staying
        .filter((member) => isSilent(member, nowMs))
        .map((member) => ({ process: member.process, host: member.host })),
      sharedState: unseen,
      sharedStateSeen: seen,
    },
    member: {
      process,
      host,
      number,
      heartbeatMs: nowMs,
      processes: staying.length + 1,
      isConnected: true,
      awakeSinceMs,
      resources: divided.map(({ kept }) => kept),
    },
    corrected: staying.filter((member) => !book.members.includes(member)),
    gone: gone.map((member) => member.process),
    sharedState: added,
    wake:
      added.length > 0 ? staying.map((member) => member.process) : [...new Set(divided.flatMap(({ wake }) => wake))],
  };
}

interface DivisionContext {
  readonly others: readonly ClusterMember[];
  readonly awakeSinceMs: number;
  readonly nowMs: number;
}

/** Another process, and its last report of the upstream. */
interface PeerReport {
  readonly member: ClusterMember;
  readonly reported: MemberResource;
}

function divideOne(process: string, resource: ResourceReport, { others, awakeSinceMs, nowMs }: DivisionContext) {
  const peers = others.flatMap((member) => {
    const reported = member.resources.find(({ name }) => name === resource.name);
    return reported ? [{ member, reported }] : [];
  });
  const peerLimits = peers.filter(({ member }) => !isSilent(member, nowMs)).map(({ reported }) => reported.limit);
  const limit = Math.min(resource.limit, ...peerLimits);
  const peerClaims = peers.map(({ member, reported }) => claimOf(member, reported, { limit, awakeSinceMs, nowMs }));
  const own: SlotClaim = {
    process,
    holds: Math.max(resource.has, resource.running),
    isSilent: false,
    accounts: resource.accounts,
    idle: resource.idle,
  };
  const slots = resource.isOfOne ? { ofOne: limit } : limit;
  const may = allowedSlots(process, slots, [own, ...peerClaims], nowMs);
  const has = Math.max(own.holds, may);
  const claims = [{ ...own, holds: has }, ...peerClaims];
  const before = heldSlots([own, ...peerClaims]);
  assert(heldSlots(claims) <= Math.max(limit, before), 'leases together never grow above the limit');
  const after = balanceOf(slots, claims, nowMs);
  const lease: SlotLease = {
    name: resource.name,
    limit,
    may,
    isWaitedFor: after.isShort,
    ...elsewhere(resource, peers, nowMs),
    ...(resource.idle && {
      idle: {
        may: Math.min(may, allowedIdleSlots(process, slots, claims, nowMs)),
        accounts: accountsElsewhere(
          resource.idle,
          livePeers(peers, nowMs).map(({ reported }) => reported.idle ?? []),
        ),
      },
    }),
  };
  const kept: MemberResource = { ...resource, has, may };
  return { lease, kept, wake: processesToWake(after, peers) };
}

/**
 * After its lease ends, a live process uses its static share of the limit. A process below its share goes up to it once
 * the others have had time to free slots. A process above it comes down to it once its calls have ended. Calls count as
 * ended only after time in which the process could have reported that. If the arbiter was away, or its clock was set
 * forward, all calls may still run.
 */
function claimOf(
  { process, heartbeatMs, processes }: ClusterMember,
  { has, running, accounts, idle }: ResourceReport,
  { limit, awakeSinceMs, nowMs }: Omit<DivisionContext, 'others'> & { readonly limit: number },
): SlotClaim {
  const silentMs = nowMs - heartbeatMs;
  const part = silentMs > leaseMs ? Math.floor(limit / processes) : 0;
  const isOver = Math.min(silentMs, nowMs - awakeSinceMs) > leaseMs + lingerMs;
  const holds = isOver ? part : Math.max(has, running, part);
  return { process, holds, isSilent: silentMs > silentAfterMs, accounts, idle };
}

interface ClaimBalance {
  readonly free: number;
  readonly parts: ReadonlyMap<string, number>;
  readonly claims: readonly SlotClaim[];
  /** Whether the processes with waiting requests lack more slots than are free. */
  readonly isShort: boolean;
}

function balanceOf(limit: Limit, claims: readonly SlotClaim[], nowMs: number): ClaimBalance {
  const parts = divide(limit, claims, nowMs);
  const free = Math.max(0, slotsIn(limit) - heldSlots(claims));
  const wanted = claims.reduce((sum, claim) => sum + missingSlots(claim, parts), 0);
  return { free, parts, claims, isShort: wanted > free };
}

/** The slots that a process with waiting requests is entitled to and does not hold. */
function missingSlots({ process, holds, accounts }: SlotClaim, parts: ReadonlyMap<string, number>): number {
  const isWaiting = accounts.some(({ waiting }) => waiting > 0);
  return isWaiting ? Math.max(0, (parts.get(process) ?? 0) - holds) : 0;
}

/** Waiting processes that can get a free slot; if these do not suffice, also those that hold too many. */
function processesToWake(
  { free, parts, claims, isShort }: ClaimBalance,
  peers: readonly PeerReport[],
): readonly string[] {
  let left = free;
  return peers.flatMap(({ member: { process }, reported }) => {
    const claim = claims.find((each) => each.process === process);
    if (!claim || claim.isSilent) return [];
    const missing = Math.min(left, missingSlots(claim, parts));
    left -= missing;
    const part = parts.get(process) ?? 0;
    const mustRelease = isShort && part < Math.min(claim.holds, reported.may);
    return missing > 0 || mustRelease ? [process] : [];
  });
}

/** A silent process serves nothing: requests of its accounts there do not reduce their share elsewhere. */
function elsewhere(
  resource: ResourceReport,
  peers: readonly PeerReport[],
  nowMs: number,
): Pick<SlotLease, 'elsewhere' | 'accounts'> {
  return {
    elsewhere: {
      running: peers.reduce((sum, { reported }) => sum + reported.running, 0),
      waiting: peers.reduce((sum, { reported }) => sum + reported.waiting, 0),
      idle: peers.reduce((sum, { reported }) => sum + idleRunning(reported), 0),
    },
    accounts: accountsElsewhere(
      resource.accounts,
      livePeers(peers, nowMs).map(({ reported }) => reported.accounts),
    ),
  };
}

function idleRunning({ idle = [] }: ResourceReport): number {
  return idle.reduce((sum, { running }) => sum + running, 0);
}

function livePeers(peers: readonly PeerReport[], nowMs: number): readonly PeerReport[] {
  return peers.filter(({ member }) => !isSilent(member, nowMs));
}

/** The requests of the accounts that are here, in other processes. */
function accountsElsewhere(
  here: readonly AccountDemand[],
  others: readonly (readonly AccountDemand[])[],
): readonly AccountElsewhere[] {
  const sums = new Map(here.map(({ id }) => [id, { running: 0, wants: 0 }]));
  for (const { id, running, waiting } of others.flat()) {
    const sum = sums.get(id);
    if (sum) sums.set(id, { running: sum.running + running, wants: sum.wants + running + waiting });
  }
  return [...sums].filter(([, { wants }]) => wants > 0).map(([id, sum]) => ({ id, ...sum }));
}

function isSilent({ heartbeatMs }: ClusterMember, nowMs: number): boolean {
  return nowMs - heartbeatMs > silentAfterMs;
}

/**
 * A live process reports within one lease after the arbiter is back, or its connection is still open. Its money expires
 * earlier (`processTtlMs` in `money/billing/recovery/processes.ts`): the store rejects a process that runs again, a provider does not.
 */
function isGone({ heartbeatMs, isConnected }: ClusterMember, awakeSinceMs: number, nowMs: number): boolean {
  const silentMs = nowMs - heartbeatMs;
  return silentMs > (isConnected ? timeoutMs : leaseMs + lingerMs) && nowMs - awakeSinceMs > leaseMs;
}

/** Sets a future `heartbeatMs` to now: a live process reports again within a second. */
function withoutFutureTime(member: ClusterMember, nowMs: number): ClusterMember {
  return member.heartbeatMs > nowMs + aheadMs ? { ...member, heartbeatMs: nowMs, awakeSinceMs: nowMs } : member;
}

function awakeSince(members: readonly ClusterMember[], nowMs: number): number {
  const heartbeatMs = Math.max(...members.map((member) => member.heartbeatMs));
  return nowMs - heartbeatMs > breakMs ? nowMs : Math.max(...members.map((member) => member.awakeSinceMs));
}
