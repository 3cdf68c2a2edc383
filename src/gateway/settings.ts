import type { Config } from '../config/config.ts';
import type { ConsoleSettings } from '../console/parts.ts';
import type { HttpLimits } from '../http/limits.ts';
import type { SurfaceSettings } from '../surfaces/conversation.ts';

/** What the public endpoints read of the configuration. */
export function surfaceSettings(config: Config): SurfaceSettings {
  const { holdHeaders, keepAliveEvery } = config.waiting;
  return {
    holdHeadersMs: holdHeaders,
    keepAliveEveryMs: keepAliveEvery,
    supportEmail: config.supportEmail,
    currency: config.currency,
    messagesPrefix: config.messagesPrefix,
    codingAgents: config.codingAgents.map((name) => name.toLowerCase()),
  };
}

/** What the dashboard reads of it. */
export function consoleSettings({ supportEmail, currency, messagesPrefix, signIn }: Config): ConsoleSettings {
  return { supportEmail, currency, messagesPrefix, oidc: signIn.oidc };
}

/** What the HTTP floor reads of it. */
export function httpLimits({ limits }: Config): HttpLimits {
  const { headersTimeout, requestTimeout, keepAliveTimeout, readerStallTimeout, ...sizes } = limits;
  return {
    ...sizes,
    headersTimeoutMs: headersTimeout,
    requestTimeoutMs: requestTimeout,
    keepAliveTimeoutMs: keepAliveTimeout,
    readerStallMs: readerStallTimeout,
  };
}
