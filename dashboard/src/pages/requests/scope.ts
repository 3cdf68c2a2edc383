/** Whose requests a page is about: those of the chosen account, or all, as operators see them. */
export interface Scope {
  readonly isOperator: boolean;
  /** Where the gateway lists them; one is below it. */
  readonly api: string;
  /** Where the pages are. */
  readonly app: string;
}

export const ownRequests: Scope = { isOperator: false, api: '/account/v1/requests', app: '/app/requests' };
export const allRequests: Scope = { isOperator: true, api: '/admin/v1/requests', app: '/app/operator/requests' };

export function requestPath({ app }: Scope, id: string): string {
  return `${app}/${encodeURIComponent(id)}`;
}
