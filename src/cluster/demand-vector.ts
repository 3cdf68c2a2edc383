import { type AccountDemand, accountsMax } from './arbiter.ts';

/** Returns the accounts with the most requests; adds up the remaining ones under a name that no account has. */
export function mostDemanding(demands: readonly AccountDemand[], process: string): readonly AccountDemand[] {
  if (demands.length <= accountsMax) return demands;
  const load = ({ running, waiting }: AccountDemand): number => running + waiting;
  const inOrder = demands.toSorted((one, other) => load(other) - load(one));
  const remaining = inOrder.slice(accountsMax - 1);
  return [...inOrder.slice(0, accountsMax - 1), { ...remaining.reduce(add), id: `others of ${process}` }];
}

function add(one: AccountDemand, other: AccountDemand): AccountDemand {
  const [running, waiting] = [one.running + other.running, one.waiting + other.waiting];
  return { id: one.id, weight: one.weight + other.weight, running, waiting };
}
