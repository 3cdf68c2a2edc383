/** Whose keys are shown: the reader's own account's, or that of an account an operator looks at. */
export interface KeyScope {
  /** Where keys are made, and below it, changed. */
  readonly path: '/account/v1/keys' | '/admin/v1/keys';
  /** Where the models are listed that a key can be limited to. */
  readonly modelsPath: '/account/v1/models' | '/admin/v1/models';
  /** Named by operators in what they make. */
  readonly accountId: string | undefined;
  /** By whose clocks caps renew. */
  readonly timeZone: string | undefined;
}

export function ownScope(timeZone: string | undefined): KeyScope {
  return { path: '/account/v1/keys', modelsPath: '/account/v1/models', accountId: undefined, timeZone };
}

export function operatorScope(account: { readonly id: string; readonly time_zone: string }): KeyScope {
  const { id: accountId, time_zone: timeZone } = account;
  return { path: '/admin/v1/keys', modelsPath: '/admin/v1/models', accountId, timeZone };
}
