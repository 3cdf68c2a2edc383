import type { Member } from '../cluster/arbiter.ts';

interface Account {
  readonly accountId: string;
  readonly running: number;
  readonly waiting: number;
}

interface Queue {
  readonly name: string;
  readonly running: number;
  readonly waiting: number;
  readonly accounts?: readonly Account[];
}

/** The queues of one process, with what the other processes have at the same upstreams added. */
export function withOthers<Own extends Queue>(own: readonly Own[], others: readonly Member[]): readonly Own[] {
  return own.map((queue) => {
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

/** One entry for each account. */
export function addedUp(accounts: readonly Account[]): readonly Account[] {
  const sums = new Map<string, Account>();
  for (const { accountId, running, waiting } of accounts) {
    const before = sums.get(accountId) ?? { running: 0, waiting: 0 };
    sums.set(accountId, { accountId, running: before.running + running, waiting: before.waiting + waiting });
  }
  return [...sums.values()];
}
