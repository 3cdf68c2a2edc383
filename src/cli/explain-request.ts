import colors from 'picocolors';
import type { RequestDetail } from '../admin/request-detail.ts';
import type { BodyFacts } from '../bodies/stored-bodies.ts';
import { type ErrorCase, errorTable } from '../core/error-table.ts';
import { decimalText } from '../core/money.ts';
import type { RequestRecord } from '../requests/request-record.ts';
import { type Cell, details } from './output.ts';
import { costTable, ledgerTable } from './request-money.ts';
import { requestTimeline } from './request-timeline.ts';
import { lengthText, momentText } from './time-text.ts';

export interface DetailNames {
  readonly now: number;
  readonly accountName: string;
  readonly keyName: string | undefined;
  readonly bodies?: BodyFacts | undefined;
}

/** One page that explains a request to whoever has its id: who asked, who answered, where the time and the money went. */
export function explainRequest(detail: RequestDetail, names: DetailNames): string {
  const { record } = detail;
  const sections = [
    record ? recordedFacts(record, detail, names) : unrecordedFacts(detail, names),
    record && titled('Where the time went', requestTimeline(record)),
    detail.costLines.length > 0 && titled(`What it cost, by price ${detail.priceVersion}`, costTable(detail)),
    detail.ledger.length > 0 && titled('Ledger', ledgerTable(detail, names.now)),
  ];
  return sections.filter(Boolean).join('\n\n');
}

function titled(title: string, body: string): string {
  return `${colors.bold(title)}\n${body}`;
}

function recordedFacts(record: RequestRecord, detail: RequestDetail, names: DetailNames): string {
  return details([
    ...firstFacts(detail, names),
    ['end user', record.userId],
    ['site', record.site || undefined],
    ['endpoint', record.surface],
    ['model', modelText(record)],
    ['answered by', answeredBy(record)],
    ['outcome', outcomeCell(record)],
    ['asked for', wishCell(record)],
    ['finish', record.finish],
    ['tokens', tokensText(record)],
    ['cost', costText(detail)],
    ['waited', waitText(record)],
    ['first byte', record.firstByteMs === undefined ? undefined : lengthText(record.firstByteMs)],
    ['duration', lengthText(record.durationMs)],
    ['bodies', bodiesText(names.bodies)],
    ...record.notes.map((note): [string, string] => ['note', note]),
  ]);
}

function unrecordedFacts(detail: RequestDetail, names: DetailNames): string {
  return details([
    ...firstFacts(detail, names),
    ['outcome', { text: detail.state === 'open' ? 'running' : 'no record', paint: colors.yellow }],
    ['cost', costText(detail)],
    ['what happened', detail.explanation],
  ]);
}

function firstFacts({ id, startedAt }: RequestDetail, names: DetailNames): [string, Cell | undefined][] {
  return [
    ['request', { text: id, paint: colors.bold }],
    ['when', startedAt === undefined ? undefined : momentText(startedAt, names.now)],
    ['account', names.accountName],
    ['key', names.keyName],
  ];
}

/** The status, and what went wrong if something did. */
function outcomeCell(record: RequestRecord): Cell {
  const gone = record.clientGone ? 'the client left before the end' : undefined;
  if (record.errorCase !== undefined) {
    const text = record.errorCase in errorTable ? errorTable[record.errorCase as ErrorCase].text : undefined;
    const frame = record.status === 200 ? 'told in a frame, since 200 was out' : undefined;
    const parts = [`${record.status} ${record.errorCase}`, frame, gone, record.errorDetail ?? text];
    return { text: parts.filter((part) => part !== undefined).join(': '), paint: colors.red };
  }
  return gone
    ? { text: `${record.status}, ${gone}`, paint: colors.yellow }
    : { text: String(record.status), paint: colors.green };
}

/** Only where one JSON body was asked for: the usual wish is the stream that everybody gets. */
function wishCell({ requestedWhole, unwantedStream, keyId }: RequestRecord): Cell | undefined {
  if (!requestedWhole) return undefined;
  if (!unwantedStream) return 'one JSON body';
  const remedy = `chat-gateway keys change ${keyId} --honour-stream-false gives its key one body; or have it send stream: true.`;
  const text = `one JSON body, and got a stream. A client that cannot read it asks again, and each time is charged: ${remedy}`;
  return { text, paint: colors.yellow };
}

/** Nothing is known of the model of a request that could not be read. */
function modelText({ requestedModel, model, errorCase }: RequestRecord): string | undefined {
  if (errorCase === 'access-denied') return `${requestedModel} (not found, or not allowed for this key)`;
  if (model === undefined) return requestedModel || undefined;
  return model === requestedModel ? model : `${model} (asked for as ${requestedModel})`;
}

function answeredBy({ upstream, upstreamModel, attemptCount: attempts, replayOf }: RequestRecord): string | undefined {
  if (replayOf !== undefined) return `the answer of ${replayOf}, of which this is a retry`;
  if (upstream === undefined) return 'nobody: the request did not get as far as a provider';
  return `${upstream}, as ${upstreamModel}${attempts > 1 ? `, after ${attempts} attempts` : ''}`;
}

function tokensText(record: RequestRecord): string | undefined {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens, usageSource } = record;
  if (promptTokens === undefined && completionTokens === undefined) return undefined;
  const within = (count: number | undefined, word: string) => (count ? ` (${count} ${word})` : '');
  const prompt = `${promptTokens ?? '?'} in${within(cachedTokens, 'cached')}`;
  const completion = `${completionTokens ?? '?'} out${within(reasoningTokens, 'reasoning')}`;
  return `${prompt}, ${completion}, ${sourceText(usageSource)}`;
}

function sourceText(source: RequestRecord['usageSource']): string {
  if (source === 'estimated') return 'estimated by the gateway, by the length of the text';
  return source === 'counted' ? 'counted by the gateway' : 'as the provider says';
}

function bodiesText(bodies: BodyFacts | undefined): string | undefined {
  return bodies && `stored: ${bodies.requestBytes} bytes asked, ${bodies.answerBytes} answered; its account reads them`;
}

function costText({ cost, priceVersion }: RequestDetail): string | undefined {
  if (cost === undefined) return undefined;
  return priceVersion === undefined ? decimalText(cost) : `${decimalText(cost)}, by price ${priceVersion}`;
}

function waitText({ waitMs, queuePosition }: RequestRecord): string | undefined {
  if (waitMs === undefined) return undefined;
  return queuePosition ? `${lengthText(waitMs)}, with ${queuePosition} before it` : lengthText(waitMs);
}
