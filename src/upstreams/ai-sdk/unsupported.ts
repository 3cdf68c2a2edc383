import { GatewayError } from '../../core/gateway-error.ts';

/**
 * Creates the error for a request that this provider does not support. The client receives the detail, which names the
 * field.
 */
export function unsupported(field: string, remedy: string): GatewayError {
  return new GatewayError('invalid-request', {
    detail: `${field} cannot be forwarded to the provider of this model. ${remedy}`,
  });
}
