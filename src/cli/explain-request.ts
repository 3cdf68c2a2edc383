import colors from 'picocolors';
import { type ErrorCase, errorTable } from '../core/error-table.ts';
import { decimalText } from '../core/money.ts';
import type { RequestRecord } from '../requests/request-record.ts';
import { type Cell, details } from './output.ts';
import { lengthText, momentText } from './time-text.ts';

/** One page that explains a request to whoever has its id: who asked, who answered, what came of it, where the time went. */
export function explainRequest(
  record: RequestRecord,
  about: { now: number; accountName: string; keyName: string },
): string {
  return details([
    ['request', { text: record.id, paint: colors.bold }],
    ['when', momentText(record.startedAt, about.now)],
    ['account', about.accountName],
    ['key', about.keyName],
    ['end user', record.userId],
    ['site', record.site || undefined],
    ['endpoint', record.surface],
    ['model', modelText(record)],
    ['answered by', answeredBy(record)],
    ['outcome', outcomeCell(record)],
    ['finish', record.finish],
    ['tokens', tokensText(record)],
    ['cost', costText(record)],
    ['waited', record.waitMs === undefined ? undefined : lengthText(record.waitMs)],
    ['first byte', record.firstByteMs === undefined ? undefined : lengthText(record.firstByteMs)],
    ['duration', lengthText(record.durationMs)],
    ...record.notes.map((note): [string, string] => ['note', note]),
  ]);
}

/** The status, and what went wrong if something did. */
function outcomeCell(record: RequestRecord): Cell {
  const gone = record.clientGone ? 'the client left before the end' : undefined;
  if (record.errorCase !== undefined) {
    const text = record.errorCase in errorTable ? errorTable[record.errorCase as ErrorCase].text : undefined;
    const parts = [`${record.status} ${record.errorCase}`, gone, text];
    return { text: parts.filter((part) => part !== undefined).join(': '), paint: colors.red };
  }
  return gone
    ? { text: `${record.status}, ${gone}`, paint: colors.yellow }
    : { text: String(record.status), paint: colors.green };
}

function modelText({ askedModel, model }: RequestRecord): string {
  if (model === undefined) return `${askedModel} (not found, or not allowed for this key)`;
  return model === askedModel ? model : `${model} (asked for as ${askedModel})`;
}

function answeredBy({ upstream, upstreamModel, attempts }: RequestRecord): string | undefined {
  if (upstream === undefined) return 'nobody: the request did not get as far as a provider';
  return `${upstream}, as ${upstreamModel}${attempts > 1 ? `, after ${attempts} attempts` : ''}`;
}

function tokensText(record: RequestRecord): string | undefined {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens, usageSource } = record;
  if (promptTokens === undefined && completionTokens === undefined) return undefined;
  const within = (count: number | undefined, word: string) => (count ? ` (${count} ${word})` : '');
  const prompt = `${promptTokens ?? '?'} in${within(cachedTokens, 'cached')}`;
  const completion = `${completionTokens ?? '?'} out${within(reasoningTokens, 'reasoning')}`;
  const counted = usageSource === 'counted' ? ', counted by the gateway' : '';
  return `${prompt}, ${completion}${counted}`;
}

function costText({ cost, priceVersion }: RequestRecord): string | undefined {
  if (cost === undefined) return undefined;
  return priceVersion === undefined ? decimalText(cost) : `${decimalText(cost)}, by price ${priceVersion}`;
}
