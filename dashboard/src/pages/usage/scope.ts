/** Whose usage a page is about: that of the chosen account, or of all, as operators see it. */
export interface UsageScope {
  readonly isOperator: boolean;
  /** Where the gateway tells it; as a table it is there with `.csv`. */
  readonly api: string;
  /** Where the requests behind a figure are. */
  readonly requests: string;
  /** What it can be sliced by; the first if nothing is said. */
  readonly groupings: readonly Grouping[];
}

export const groupings = ['account', 'model', 'key', 'member', 'user', 'upstream', 'status', 'error'] as const;
export type Grouping = (typeof groupings)[number];

export const ownUsage: UsageScope = {
  isOperator: false,
  api: '/account/v1/usage/slices',
  requests: '/app/requests',
  groupings: ['model', 'key', 'member', 'user', 'status', 'error'],
};

export const allUsage: UsageScope = {
  isOperator: true,
  api: '/admin/v1/usage',
  requests: '/app/operator/requests',
  groupings,
};

/** Some things are told apart within one account only, and accounts only among all of them. */
export function isOffered(grouping: Grouping, scope: UsageScope, account: string | undefined): boolean {
  if (!scope.isOperator) return true;
  if (grouping === 'account') return account === undefined;
  return account !== undefined || !['key', 'member', 'user'].includes(grouping);
}
