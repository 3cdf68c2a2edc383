import { GatewayError } from '../core/gateway-error.ts';
import type { HttpFault } from './http1/http-fault.ts';

/** What an exchange that brought no response means: the provider failed, was too slow, or was never to blame. */
export function transportError(fault: HttpFault): GatewayError {
  return new GatewayError(caseOf(fault), { cause: fault });
}

function caseOf({ reason }: HttpFault): 'overloaded' | 'upstream-timeout' | 'upstream-failed' {
  if (reason === 'local') return 'overloaded';
  return reason === 'connect-timeout' ? 'upstream-timeout' : 'upstream-failed';
}
