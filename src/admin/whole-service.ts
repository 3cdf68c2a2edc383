import { z } from 'zod';
import type { ClusterMember } from '../cluster/arbiter.ts';

/** The processes that share upstreams, as their arbiter knows them, and which of them is asked; nobody where one is alone. */
export interface WholeService {
  readonly own: string | undefined;
  readonly members: readonly ClusterMember[];
}

/** What one process has of an upstream. */
export const holderSchema = z.strictObject({
  process: z.string().describe('A name that no other process has or had.'),
  host: z.string(),
  pid: z.int(),
  worker: z.int().nullable().describe('Which of the workers of its machine it is; null where there are none.'),
  lease: z.int().describe('Answers that it may run at once here.'),
  running: z.int(),
  waiting: z.int(),
  heartbeat_age_ms: z
    .int()
    .describe(
      'How much earlier than the last of them it was heard of. Beyond a few seconds it stands still, or is gone.',
    ),
});

interface AccountTotals {
  readonly accountId: string;
  readonly running: number;
  readonly waiting: number;
}

interface ServiceQueue {
  readonly name: string;
  readonly running: number;
  readonly waiting: number;
  readonly accounts?: readonly AccountTotals[];
}

/** The queues of one process, with what the other processes have at the same upstreams added. */
export function withOthers<Own extends ServiceQueue>(
  queues: readonly Own[],
  { own, members }: WholeService,
): readonly Own[] {
  const others = members.filter(({ process }) => process !== own);
  return queues.map((queue) => {
    const beside = others.flatMap(({ resources }) => resources.filter(({ name }) => name === queue.name));
    if (beside.length === 0) return queue;
    const accounts = beside.flatMap((resource) =>
      resource.accounts.map(({ id, running, waiting }) => ({ accountId: id, running, waiting })),
    );
    return {
      ...queue,
      running: beside.reduce((sum, { running }) => sum + running, queue.running),
      waiting: beside.reduce((sum, { waiting }) => sum + waiting, queue.waiting),
      ...(queue.accounts && { accounts: addedUp([...queue.accounts, ...accounts]) }),
    };
  });
}

/** Who has what of an upstream, those of a machine side by side; nobody where one process has all of it. */
export function holdersOf(upstream: string, { members }: WholeService): readonly z.input<typeof holderSchema>[] {
  const heardMs = Math.max(...members.map((member) => member.heardMs));
  const holders = members.flatMap((member) =>
    member.resources
      .filter(({ name }) => name === upstream)
      .map(({ may, running, waiting }) => ({
        process: member.process,
        host: hostOf(member),
        pid: member.home.pid,
        worker: member.home.worker ?? null,
        lease: may,
        running,
        waiting,
        heartbeat_age_ms: Math.round(heardMs - member.heardMs),
      })),
  );
  const nameOf = (holder: (typeof holders)[number]) => `${holder.host} ${String(holder.worker ?? 0).padStart(4, '0')}`;
  return holders.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)).slice(0, holdersMax);
}

/** More than anybody reads. */
const holdersMax = 500;

/** The machine's name, without what tells one of its starts from another. */
function hostOf({ home }: ClusterMember): string {
  return home.machine.split(' · ')[0] ?? '';
}

/** One entry for each account. */
export function addedUp(accounts: readonly AccountTotals[]): readonly AccountTotals[] {
  const sums = new Map<string, AccountTotals>();
  for (const { accountId, running, waiting } of accounts) {
    const before = sums.get(accountId) ?? { running: 0, waiting: 0 };
    sums.set(accountId, { accountId, running: before.running + running, waiting: before.waiting + waiting });
  }
  return [...sums.values()];
}
