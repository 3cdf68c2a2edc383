/** Usage by dimension as the API returns it, optionally with the operator's cost. */
export function usageReply({ values, withCost = false }: UsageReplyParts) {
  const points = Array.from({ length: 30 }, (_, day) => ({
    at: new Date(Date.UTC(2026, 0, 10 + day, 23)).toISOString(),
    until: new Date(Date.UTC(2026, 0, 11 + day, 23)).toISOString(),
  }));
  const shown = values.map(([kind, value, name], index) => {
    const share = 1 / (index + 1.6) ** 2;
    const isDrawn = index < 5 && kind !== 'other';
    const series = isDrawn ? points.map((_, day) => pointOf(share * (4 + ((day * 7 + index * 3) % 9)))) : [];
    const noCalls = { calls: null, failed_calls: null };
    const more = withCost && { account_id: null, account_name: null, ...noCalls };
    return { kind, value, name, ...figures(share * 240, withCost), ...more, series };
  });
  return {
    since: points[0]?.at,
    until: points.at(-1)?.until,
    interval: 'day',
    zone: 'Europe/Oslo',
    currency: 'USD',
    is_complete: true,
    has_whole_days: true,
    points,
    totals: figures(331, withCost),
    previous: figures(287, withCost),
    series: points.map((_, day) => figures(8 + ((day * 5) % 11), withCost)),
    lines: shown,
  };
}

/** The first lines along other dimensions. */
export function topReply(values: Readonly<Record<string, readonly string[]>>) {
  return Object.entries(values).map(([by, names]) => ({
    by,
    lines: usageReply({ withCost: true, values: names.map((name) => ['value', name, null] as const) }).lines,
  }));
}

interface UsageReplyParts {
  readonly values: readonly (readonly [kind: 'value' | 'none' | 'other', value: string | null, name: string | null])[];
  readonly withCost?: boolean;
}

function pointOf(size: number) {
  return { spend: (size * 0.1523).toFixed(6), requests: Math.round(size * 31), errors: Math.round(size / 3) };
}

function figures(size: number, withCost: boolean) {
  // A part of the revenue has no known cost.
  const [costed, cost] = [0.1412, 0.0893].map((share) => Math.round(size * share * 1e6)) as [number, number];
  const text = (micro: number) => (micro / 1e6).toFixed(6);
  return {
    ...pointOf(size),
    client_gone: Math.round(size / 7),
    prompt_tokens: Math.round(size * 41_000),
    cached_tokens: Math.round(size * 17_000),
    completion_tokens: Math.round(size * 9000),
    reasoning_tokens: Math.round(size * 1000),
    ...percentiles(Math.round(size) % 10),
    ...(withCost && {
      provider_cost: text(cost),
      costed_spend: text(costed),
      margin: text(costed - cost),
    }),
  };
}

/** Times and speeds; `slow` from 0 to 9. */
export function percentiles(slow: number) {
  return { queue_ms_p50: 90 + slow * 11, queue_ms_p95: 410 + slow * 53, ...speeds(640 + slow * 22, 84 - slow * 3) };
}

/** Percentiles around the given medians. */
export function speeds(firstTokenMs: number, tokensPerSecond: number) {
  return {
    first_token_ms_p50: firstTokenMs,
    first_token_ms_p95: firstTokenMs * 3,
    tokens_per_second_p50: tokensPerSecond,
    tokens_per_second_p95: Math.round(tokensPerSecond * 1.5),
  };
}

const noSpeeds = {
  first_token_ms_p50: null,
  first_token_ms_p95: null,
  tokens_per_second_p50: null,
  tokens_per_second_p95: null,
};

/** Times and speeds without data. */
export const noPercentiles = { queue_ms_p50: null, queue_ms_p95: null, ...noSpeeds };

/** The performance of a model without data. */
export const unmeasured = { uptime: null, ...noSpeeds };
