/** The keys of the user's own account, or of an account that an operator views. */
export interface KeyScope {
  /** The API path of keys. */
  readonly path: '/account/v1/keys' | '/admin/v1/keys';
  /** The API path of the models that a key can be limited to. */
  readonly modelsPath: '/account/v1/models' | '/admin/v1/models';
  /** Operators name the account in the request body. */
  readonly accountId: string | undefined;
  /** The time zone in which caps reset. */
  readonly timeZone: string | undefined;
}

export function ownScope(timeZone: string | undefined): KeyScope {
  return { path: '/account/v1/keys', modelsPath: '/account/v1/models', accountId: undefined, timeZone };
}

export function operatorScope(account: { readonly id: string; readonly time_zone: string }): KeyScope {
  const { id: accountId, time_zone: timeZone } = account;
  return { path: '/admin/v1/keys', modelsPath: '/admin/v1/models', accountId, timeZone };
}
