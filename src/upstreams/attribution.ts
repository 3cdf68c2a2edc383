import { GatewayError } from '../core/gateway-error.ts';
import { ProviderError } from '../dialects/provider-error.ts';
import { ProviderRefusal } from './refusal.ts';

/** The same error with a cause that names the upstream and holds no secret: providers repeat what they were sent. */
export function attributed(error: unknown, upstream: string, redact: (text: string) => string): unknown {
  if (!(error instanceof GatewayError) || error.cause instanceof ProviderRefusal) return error;
  const words = error.cause instanceof Error ? error.cause.message : error.message;
  const isClean = error.code === undefined || redact(error.code) === error.code;
  return new GatewayError(error.case, {
    detail: error.detail,
    code: isClean ? error.code : undefined,
    cause:
      error.cause instanceof ProviderError
        ? new ProviderRefusal(upstream, error.cause.status, redact(words))
        : new Error(`upstream ${upstream}: ${redact(words)}`),
  });
}
