import { GatewayError } from '../../core/gateway-error.ts';
import type { TransportFault } from '../http1/transport-fault.ts';

/**
 * Maps a transport fault to an error. The provider failed or was too slow, or is not responsible: it was not reached,
 * or the gateway failed on its response.
 */
export function transportError(fault: TransportFault): GatewayError {
  return new GatewayError(caseOf(fault), { cause: fault });
}

function caseOf({ reason }: TransportFault): 'overloaded' | 'internal-error' | 'upstream-timeout' | 'upstream-failed' {
  if (reason === 'local') return 'overloaded';
  if (reason === 'handler-error') return 'internal-error';
  return reason === 'connect-timeout' ? 'upstream-timeout' : 'upstream-failed';
}
