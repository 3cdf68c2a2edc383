import { type CostLine, costLines, type ToolLine, toolLines } from '../billing/cost.ts';
import { type OwnedLine, linesUnder } from '../billing/ledger-lines.ts';
import { openChargeOf } from '../billing/open-charge.ts';
import { rememberedPrice } from '../billing/price-book.ts';
import type { Nano } from '../core/money.ts';
import { momentOfId, requestIdIn } from '../core/request-id.ts';
import { findRequest } from '../requests/find-requests.ts';
import type { RequestRecord } from '../requests/request-record.ts';
import type { Store } from '../store/store.ts';

/** Everything there is to tell about one request, from its record and from the ledger. */
export interface RequestDetail {
  readonly id: string;
  readonly state: RequestState;
  /** What the state means, in a sentence. */
  readonly explanation: string;
  readonly startedAt: number | undefined;
  readonly accountId: string;
  readonly keyId: string | undefined;
  readonly record: RequestRecord | undefined;
  readonly priceVersion: string | undefined;
  /** What was charged for it in all. */
  readonly cost: Nano | undefined;
  /** How the cost comes about; empty where the tokens or the figures of the price are not known. */
  readonly costLines: readonly CostLine[];
  /** The part of it that tools came to which the provider ran itself. */
  readonly toolLines: readonly ToolLine[];
  readonly ledger: readonly OwnedLine[];
}

export const requestStates = ['recorded', 'recovered', 'charged', 'open'] as const;
export type RequestState = (typeof requestStates)[number];

const explanations: Readonly<Record<RequestState, string>> = {
  recorded: 'The request is over, and its record is whole.',
  recovered:
    'The gateway process that served the request ended while the answer was streaming, so nobody wrote down how it went on. It was charged for what had been delivered at the last checkpoint, which was at most some seconds old.',
  charged:
    'The request was charged for all it used, but there is no record of it: the process ended before the record was written, or the record is older than `requests.retention`.',
  open: 'The request is being answered right now. Should its process have ended, it will be charged for what had been delivered at the last checkpoint, within two minutes.',
};

const promptOnlyExplanation =
  'The request is over, and its record is whole. It was given up after it had been sent to the provider and before the first word of the answer, so its prompt was charged and nothing else.';

/** Whether it ended while a provider was at work on it, with nothing to show. */
function isPromptOnly({ cost, firstByteMs, completionTokens }: RequestRecord): boolean {
  return cost !== undefined && cost > 0n && firstByteMs === undefined && completionTokens === 0;
}

/** The detail of a request, by its own id or by that of its answer. */
export async function requestDetail(store: Store, name: string): Promise<RequestDetail | undefined> {
  const id = requestIdIn(name);
  const record = await findRequest(store, id);
  const lines = await linesUnder(store, id);
  if (record) return recorded(store, record, lines);
  const charges = lines.filter(({ kind }) => kind === 'charge' || kind === 'charge-rest');
  const [first] = charges;
  if (first) {
    const state = charges.every(({ by }) => by === 'recovery') ? 'recovered' : 'charged';
    const cost = charges.reduce((sum, { amount }) => sum - amount, 0n);
    return { ...unrecorded(id, state, first), cost, ledger: linesOf(lines, first.accountId) };
  }
  const open = await openChargeOf(store, id);
  return open && { ...unrecorded(id, 'open', open), cost: undefined, ledger: [] };
}

async function recorded(store: Store, record: RequestRecord, ledger: readonly OwnedLine[]): Promise<RequestDetail> {
  const { id, startedAt, accountId, keyId, cost, priceVersion } = record;
  const price = priceVersion === undefined ? undefined : await rememberedPrice(store, priceVersion);
  const { promptTokens, completionTokens } = record;
  const isCounted = promptTokens !== undefined && completionTokens !== undefined;
  return {
    id,
    state: 'recorded',
    explanation: isPromptOnly(record) ? promptOnlyExplanation : explanations.recorded,
    startedAt,
    accountId,
    keyId,
    record,
    priceVersion,
    cost,
    // An answer of which nothing came is not charged for what it used.
    costLines: isCounted && price && cost ? costLines({ ...record, promptTokens, completionTokens }, price) : [],
    toolLines: price && cost ? toolLines(record, price) : [],
    ledger: linesOf(ledger, accountId),
  };
}

/** An operator may have used the same reference for somebody else. */
function linesOf(lines: readonly OwnedLine[], accountId: string): readonly OwnedLine[] {
  return lines.filter((line) => line.accountId === accountId);
}

interface ChargeSummary {
  readonly accountId: string;
  readonly keyId: string | undefined;
  readonly priceVersion: string | undefined;
}

function unrecorded(id: string, state: RequestState, { accountId, keyId, priceVersion }: ChargeSummary) {
  const what = { id, state, explanation: explanations[state], startedAt: momentOfId(id) };
  return { ...what, accountId, keyId, priceVersion, record: undefined, costLines: [], toolLines: [] };
}
