/** The usage of the chosen account, or, for operators, of all accounts. */
export interface UsageScope {
  readonly isOperator: boolean;
  /** The API path. With `.csv` appended it returns a table. */
  readonly api: string;
  /** The path of the list of requests. */
  readonly requests: string;
  /** The available groupings. The first is the default. */
  readonly groupings: readonly Grouping[];
}

export const groupings = ['account', 'model', 'key', 'member', 'user', 'tag', 'upstream', 'status', 'error'] as const;
export type Grouping = (typeof groupings)[number];

export const ownUsage: UsageScope = {
  isOperator: false,
  api: '/account/v1/usage/breakdown',
  requests: '/app/requests',
  groupings: ['model', 'key', 'member', 'user', 'tag', 'status', 'error'],
};

export const allUsage: UsageScope = {
  isOperator: true,
  api: '/admin/v1/usage',
  requests: '/app/operator/requests',
  groupings,
};

/** One account cannot be grouped by account. */
export function isOffered(grouping: Grouping, account: string | undefined): boolean {
  return grouping !== 'account' || account === undefined;
}
