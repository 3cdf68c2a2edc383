import { colors } from '../colors.ts';
import type { RequestDetail } from '../../manage/admin/requests/request-detail.ts';
import type { BodyFacts } from '../../work/bodies/stored-bodies.ts';
import { type ErrorCase, errorTable } from 'chat-formats/error-table.ts';
import { decimalText, unitsText } from '../../core/money.ts';
import type { RequestRecord } from '../../money/requests/request-record.ts';
import { type Cell, details, table } from '../terminal/output.ts';
import { requestTimeline } from './request-timeline.ts';
import { lengthText, momentText } from '../terminal/time-text.ts';
import {
  factorPlaces,
  picoPlaces,
  placesPerMillion,
  placesPerThousand,
} from '../../manage/admin/requests/request-detail-documents.ts';
import type { CostLine } from '../../money/billing/ledger/cost-lines.ts';
import { factorOne } from 'chat-formats/price.ts';
import { unitNamed } from 'chat-formats/chat/pass-through-endpoint.ts';

export interface DetailNames {
  readonly now: number;
  readonly accountName: string;
  readonly keyName: string | undefined;
  readonly bodies?: BodyFacts | undefined;
}

/** Renders one page about a request: account, upstream, outcome, timeline, cost and ledger entries. */
export function explainRequest(detail: RequestDetail, names: DetailNames): string {
  const { record } = detail;
  const sections = [
    record ? recordedFacts(record, detail, names) : unrecordedFacts(detail, names),
    record && titled('Timeline', requestTimeline(record)),
    detail.costLines.length > 0 && titled(`Cost at price ${detail.priceVersion}`, costTable(detail)),
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
    ['tags', record.tags?.join(', ')],
    ['site', record.site || undefined],
    ['endpoint', record.surface],
    ['model', modelText(record)],
    ['answered by', answeredBy(record)],
    ['outcome', outcomeCell(record)],
    ['requested', requestedCell(record)],
    ['finish', record.finish],
    ['tokens', tokensText(record)],
    ['cost', costText(detail)],
    ['queued', waitText(record)],
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
    ['explanation', detail.explanation],
  ]);
}

function firstFacts({ id, startedAt }: RequestDetail, names: DetailNames): [string, Cell | undefined][] {
  return [
    ['request', { text: id, paint: colors.bold }],
    ['started', startedAt === undefined ? undefined : momentText(startedAt, names.now)],
    ['account', names.accountName],
    ['key', names.keyName],
  ];
}

function outcomeCell(record: RequestRecord): Cell {
  const disconnected = record.clientGone ? 'the client disconnected before the end' : undefined;
  if (record.errorCase !== undefined) {
    const text = record.errorCase in errorTable ? errorTable[record.errorCase as ErrorCase].text : undefined;
    const frame = record.status === 200 ? 'sent as an error event, because status 200 was already sent' : undefined;
    const parts = [`${record.status} ${record.errorCase}`, frame, disconnected, record.errorDetail ?? text];
    return { text: parts.filter((part) => part !== undefined).join(': '), paint: colors.red };
  }
  return disconnected
    ? { text: `${record.status}, ${disconnected}`, paint: colors.yellow }
    : { text: String(record.status), paint: colors.green };
}

/** Only set if the client requested one JSON body. A stream is the default. */
function requestedCell({ requestedWhole, unwantedStream, keyId }: RequestRecord): Cell | undefined {
  if (!requestedWhole) return undefined;
  if (!unwantedStream) return 'one JSON body';
  const remedy = `Run \`chat-gateway keys change ${keyId} --honour-stream-false\` to return one body, or have the client send stream: true.`;
  const text = `one JSON body, but got a stream. A client that cannot read a stream retries, and every retry is charged. ${remedy}`;
  return { text, paint: colors.yellow };
}

/** `undefined` if the request could not be parsed: its model is unknown. */
function modelText({ requestedModel, model, errorCase }: RequestRecord): string | undefined {
  if (errorCase === 'access-denied' || errorCase === 'unknown-model')
    return `${requestedModel} (not found, or not allowed for this key)`;
  if (model === undefined) return requestedModel || undefined;
  return model === requestedModel ? model : `${model} (requested as ${requestedModel})`;
}

function answeredBy({ upstream, upstreamModel, attemptCount, replayOf }: RequestRecord): string | undefined {
  if (replayOf !== undefined) return `the reply of request ${replayOf}, of which this is a retry`;
  if (upstream === undefined) return 'no provider: the request ended before one was called';
  return `${upstream}, as ${upstreamModel}${attemptCount > 1 ? `, after ${attemptCount} attempts` : ''}`;
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
  if (source === 'estimated') return 'estimated by the gateway from the length of the text';
  return source === 'counted' ? 'counted by the gateway' : 'reported by the provider';
}

function bodiesText(bodies: BodyFacts | undefined): string | undefined {
  return (
    bodies &&
    `stored: request ${bodies.requestBytes} bytes, answer ${bodies.answerBytes} bytes; only the account can read them`
  );
}

function costText({ cost, priceVersion }: RequestDetail): string | undefined {
  if (cost === undefined) return undefined;
  return priceVersion === undefined ? decimalText(cost) : `${decimalText(cost)}, at price ${priceVersion}`;
}

function waitText({ waitMs, queuePosition }: RequestRecord): string | undefined {
  if (waitMs === undefined) return undefined;
  return queuePosition ? `${lengthText(waitMs)}, ${queuePosition} ahead of it` : lengthText(waitMs);
}

/** Renders the cost of a request: tokens times price for each kind, and the total. */
function costTable({ costLines, toolLines, factor = factorOne, cost = 0n }: RequestDetail): string {
  const tokens = costLines.map((line) => ({
    label: line.model === undefined ? kindNames[line.kind] : `${kindNames[line.kind]}, ${line.model}`,
    count: line.tokens,
    price: unitsText(line.perToken, placesPerMillion + line.extraPlaces),
    amount: line.tokens * line.perToken,
    places: picoPlaces + line.extraPlaces,
  }));
  const tools = toolLines.map(({ tool, uses, perUse }) => ({
    label: unitNamed(tool) === undefined ? `${tool}, uses` : `${unitNamed(tool)}s`,
    count: uses,
    price: `${unitsText(perUse, placesPerThousand)} / 1000`,
    amount: uses * perUse,
    places: picoPlaces,
  }));
  const used = [...tokens, ...tools].filter(({ count }) => count > 0n);
  const [scale, whole] = [exactScale(used), 10n ** BigInt(picoPlaces - nanoPlaces) * factorOne];
  const sum = used.reduce((all, { amount, places }) => all + amount * 10n ** BigInt(scale - places), 0n);
  const isRounded = cost * whole * 10n ** BigInt(scale - picoPlaces) !== sum * factor;
  const total = { text: right(decimalText(cost)), paint: colors.bold };
  const rows: Cell[][] = used.map(({ label, count, price, amount, places }) => [
    label,
    right(String(count)),
    right(price),
    right(unitsText(amount, places)),
  ]);
  if (factor !== factorOne) rows.push(['factor of the package', '', '', right(`× ${unitsText(factor, factorPlaces)}`)]);
  rows.push([isRounded ? 'total, rounded up' : 'total', '', '', total]);
  return table(['tokens', right('count'), right('per million'), right('amount')], rows);
}

function exactScale(lines: readonly { readonly places: number }[]): number {
  return Math.max(picoPlaces, ...lines.map(({ places }) => places));
}

const nanoPlaces = 9;

function ledgerTable({ ledger }: RequestDetail, now: number): string {
  const rows = ledger.map(({ at, kind, amount, by, reason }): Cell[] => [
    momentText(at, now),
    kind,
    right(decimalText(amount)),
    by,
    reason,
  ]);
  return table(['time', 'kind', right('amount'), 'by', 'reason'], rows, reasonMax);
}

const reasonMax = 200;

const kindNames: Readonly<Record<CostLine['kind'], string>> = {
  input: 'input',
  input_audio: 'input, audio',
  input_image: 'input, images',
  cached_input: 'input from cache',
  cache_write_5m: 'cache write, 5 min',
  cache_write_30m: 'cache write, 30 min',
  cache_write_1h: 'cache write, 1 h',
  cache_write_12h: 'cache write, 12 h',
  output: 'output',
  reasoning: 'output, reasoning',
  output_audio: 'output, audio',
};

function right(text: string): string {
  return text.padStart(14);
}
