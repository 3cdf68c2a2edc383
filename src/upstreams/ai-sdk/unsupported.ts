import { GatewayError } from '../../core/gateway-error.ts';

/** A request this provider has no words for. The detail is for the client and names the field. */
export function unsupported(field: string, remedy: string): GatewayError {
  return new GatewayError('invalid-request', {
    detail: `${field} cannot be passed on to the provider of this model. ${remedy}`,
  });
}
