/** The requests of the chosen account, or, for operators, of all accounts. */
export interface Scope {
  readonly isOperator: boolean;
  /** The API path of the list. One request is below it. */
  readonly api: string;
  /** The path of the dashboard pages. */
  readonly app: string;
}

export const ownRequests: Scope = { isOperator: false, api: '/account/v1/requests', app: '/app/requests' };
export const allRequests: Scope = { isOperator: true, api: '/admin/v1/requests', app: '/app/operator/requests' };

export function requestPath({ app }: Scope, id: string): string {
  return `${app}/${encodeURIComponent(id)}`;
}
