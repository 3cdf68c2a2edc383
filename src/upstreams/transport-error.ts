import { GatewayError } from '../core/gateway-error.ts';
import type { TransportFault } from './http1/transport-fault.ts';

/**
 * What an exchange that brought no response means: the provider failed, was too slow, or was never to blame, because it was not reached or
 * because its answer was mishandled here.
 */
export function transportError(fault: TransportFault): GatewayError {
  return new GatewayError(caseOf(fault), { cause: fault });
}

function caseOf({ reason }: TransportFault): 'overloaded' | 'internal-error' | 'upstream-timeout' | 'upstream-failed' {
  if (reason === 'local') return 'overloaded';
  if (reason === 'mistake') return 'internal-error';
  return reason === 'connect-timeout' ? 'upstream-timeout' : 'upstream-failed';
}
