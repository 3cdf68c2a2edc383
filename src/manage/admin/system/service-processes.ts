import { z } from 'zod';
import type { AccountDemand, ClusterMember } from '../../../platform/cluster/arbiter.ts';
import type { AccountLoad, IdleLoad } from '../../../serving/routing/queue/queue-snapshot.ts';

/** The processes that share the upstreams, as the arbiter reports them. `members` is empty if there is only one. */
export interface ServiceProcesses {
  readonly own: string | undefined;
  readonly members: readonly ClusterMember[];
}

export const holderSchema = z.strictObject({
  process: z.string().describe('Unique name of the process. Names are never reused.'),
  host: z.string(),
  pid: z.int(),
  worker: z.int().nullable().describe('Number of the worker on its machine. Null: the machine has no workers.'),
  lease: z.int().describe('Slots that it may use here.'),
  running: z.int(),
  waiting: z.int(),
  heartbeat_age_ms: z
    .int()
    .describe(
      'Age of its last heartbeat, compared with the newest heartbeat of all processes. Beyond a few seconds, the process is frozen or gone.',
    ),
});

interface ServiceQueue {
  readonly name: string;
  readonly running: number;
  readonly waiting: number;
  readonly accounts?: readonly AccountLoad[];
  readonly idle?: IdleLoad | undefined;
}

export function withPeers<Own extends ServiceQueue>(
  queues: readonly Own[],
  { own, members }: ServiceProcesses,
): readonly Own[] {
  const peers = members.filter(({ process }) => process !== own);
  return queues.map((queue) => {
    const shares = peers.flatMap(({ resources }) => resources.filter(({ name }) => name === queue.name));
    if (shares.length === 0) return queue;
    const accounts = loadsOf(shares.flatMap((share) => share.accounts));
    const idle = loadsOf(shares.flatMap((share) => share.idle ?? []));
    return {
      ...queue,
      running: shares.reduce((sum, { running }) => sum + running, queue.running) - sumOf(idle, 'running'),
      waiting: shares.reduce((sum, { waiting }) => sum + waiting, queue.waiting),
      ...(queue.accounts && { accounts: sumByAccount([...queue.accounts, ...accounts]) }),
      idle: withPeersIdle(queue.idle, idle),
    };
  });
}

function withPeersIdle(own: IdleLoad | undefined, peers: readonly AccountLoad[]): IdleLoad | undefined {
  if (peers.length === 0) return own;
  const { running, waiting, accounts } = own ?? { running: 0, waiting: 0, accounts: [] };
  return {
    running: running + sumOf(peers, 'running'),
    waiting: waiting + sumOf(peers, 'waiting'),
    accounts: sumByAccount([...accounts, ...peers]),
  };
}

function loadsOf(demands: readonly AccountDemand[]): readonly AccountLoad[] {
  return demands.map(({ id, running, waiting, weight }) => ({ accountId: id, running, waiting, weight }));
}

function sumOf(loads: readonly AccountLoad[], name: 'running' | 'waiting'): number {
  return loads.reduce((sum, load) => sum + load[name], 0);
}

/** The shares of all processes in an upstream, sorted by machine. Empty if one process has all slots. */
export function holdersOf(upstream: string, { members }: ServiceProcesses): readonly z.input<typeof holderSchema>[] {
  const newestMs = Math.max(...members.map((member) => member.heartbeatMs));
  const holders = members.flatMap((member) =>
    member.resources
      .filter(({ name }) => name === upstream)
      .map(({ may, running, waiting }) => ({
        process: member.process,
        host: hostOf(member),
        pid: member.host.pid,
        worker: member.host.worker ?? null,
        lease: may,
        running,
        waiting,
        heartbeat_age_ms: Math.round(newestMs - member.heartbeatMs),
      })),
  );
  const nameOf = (holder: (typeof holders)[number]) => `${holder.host} ${String(holder.worker ?? 0).padStart(4, '0')}`;
  return holders.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)).slice(0, holdersMax);
}

/** More than a person reads. */
const holdersMax = 500;

/** The name of the machine, without the part that changes at each start. */
function hostOf({ host }: ClusterMember): string {
  return host.machine.split(' · ')[0] ?? '';
}

/** Adds up the requests of each account. Its first entry, that of this process, gives its wait, turn and weight. */
export function sumByAccount(accounts: readonly AccountLoad[]): readonly AccountLoad[] {
  const sums = new Map<string, AccountLoad>();
  for (const account of accounts) {
    const { running, waiting } = account;
    const before = sums.get(account.accountId);
    const sum = before && { ...before, running: before.running + running, waiting: before.waiting + waiting };
    sums.set(account.accountId, sum ?? account);
  }
  return [...sums.values()];
}
