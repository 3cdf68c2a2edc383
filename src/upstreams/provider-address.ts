import { requestTarget } from './http1/request-text.ts';

/** The address of one endpoint of a provider. */
export interface ProviderAddress {
  readonly origin: URL;
  readonly host: string;
  readonly target: string;
}

/** Returns the address of a path below a base address. Keeps its query, because some providers put a version there. */
export function providerAddress(baseUrl: string, path: string): ProviderAddress {
  const address = new URL(baseUrl);
  address.pathname = address.pathname.replace(/\/+$/, '') + path;
  return { origin: new URL(address.origin), host: address.host, target: requestTarget(address) };
}
