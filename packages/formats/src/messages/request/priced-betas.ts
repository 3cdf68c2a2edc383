import type { Wire } from '../../chat/chat-request.ts';

const betaHeader = 'anthropic-beta';

/** The beta for faster answers at a higher price. */
const isFastMode = (beta: string): boolean => /^fast-mode\b/i.test(beta);

const betaShownMax = 64;

export function pricedBetas(headers: Wire['headers']): readonly string[] {
  return betasIn(headers)
    .filter(isFastMode)
    .map((beta) => `${betaHeader}: ${beta.slice(0, betaShownMax)}`);
}

export function unpricedHeaders(headers: Wire['headers'] = {}): Readonly<Record<string, string>> {
  const betas = betasIn(headers);
  const kept = betas.filter((beta) => !isFastMode(beta));
  if (kept.length === betas.length) return headers;
  const { [betaHeader]: _, ...others } = headers;
  return kept.length === 0 ? others : { ...others, [betaHeader]: kept.join(',') };
}

function betasIn(headers: Wire['headers']): readonly string[] {
  return (headers?.[betaHeader] ?? '').split(',').map((beta) => beta.trim());
}
