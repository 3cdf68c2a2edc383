import { requestTarget } from './http1/request-text.ts';

/** Where requests of one kind go. */
export interface ProviderAddress {
  readonly origin: URL;
  readonly host: string;
  readonly target: string;
}

/** The address of a path below a base address, whose query stays, since some providers put a version there. */
export function providerAddress(baseUrl: string, path: string): ProviderAddress {
  const address = new URL(baseUrl);
  address.pathname = address.pathname.replace(/\/+$/, '') + path;
  return { origin: new URL(address.origin), host: address.host, target: requestTarget(address) };
}
