import type { Config } from '../platform/config/config.ts';
import type { ConsoleSettings } from '../manage/console/parts.ts';
import type { HttpLimits } from '../serving/http/limits.ts';
import { codingAgents } from '../serving/surfaces/coding-agents.ts';
import type { SurfaceSettings } from '../serving/surfaces/conversation.ts';
import { clientsWithin, descriptorsMax } from '../operate/telemetry/descriptors.ts';

/** The settings of the public endpoints. Computed when the configuration changes, not for every request. */
export function surfaceSettings(current: () => Config): () => SurfaceSettings {
  let computedFor: Config | undefined;
  let settings: SurfaceSettings | undefined;
  return () => {
    const config = current();
    if (!settings || config !== computedFor) settings = surfaceSettingsOf(config);
    computedFor = config;
    return settings;
  };
}

function surfaceSettingsOf(config: Config): SurfaceSettings {
  const { holdHeaders, keepAliveEvery } = config.waiting;
  return {
    holdHeadersMs: holdHeaders,
    keepAliveEveryMs: keepAliveEvery,
    supportEmail: config.supportEmail,
    currency: config.currency,
    messagesPrefix: config.messagesPrefix,
    isCodingAgent: codingAgents(config.codingAgents),
  };
}

export function consoleSettings({ supportEmail, currency, messagesPrefix, signIn }: Config): ConsoleSettings {
  return { supportEmail, currency, messagesPrefix, oidc: signIn.oidc };
}

export function httpLimits({ limits, upstreams }: Config, descriptors = descriptorsMax()): HttpLimits {
  const callsMax = upstreams.reduce((sum, { maxConcurrency }) => sum + maxConcurrency, 0);
  const { headersTimeout, requestTimeout, keepAliveTimeout, readerStallTimeout, ...sizes } = limits;
  return {
    ...sizes,
    socketsMax: descriptors === undefined ? Number.POSITIVE_INFINITY : clientsWithin(descriptors, callsMax),
    headersTimeoutMs: headersTimeout,
    requestTimeoutMs: requestTimeout,
    keepAliveTimeoutMs: keepAliveTimeout,
    readerStallMs: readerStallTimeout,
  };
}
