import { type ToolLine, toolLines } from '../../../money/billing/ledger/cost.ts';
import { type CostLine, costLines, decodeCostLines } from '../../../money/billing/ledger/cost-lines.ts';
import { type OwnedLine, linesUnder } from '../../../money/billing/ledger/ledger-lines.ts';
import { openChargeOf } from '../../../money/billing/recovery/checkpoints.ts';
import { rememberedPrice } from '../../../money/billing/ledger/price-book.ts';
import type { Nano } from '../../../core/money.ts';
import type { Price } from 'chat-formats/price.ts';
import { unreportedUsage } from 'chat-formats/chat/usage.ts';
import { momentOfId, requestIdIn } from '../../../core/request-id.ts';
import { findRequest } from '../../../money/requests/find-requests.ts';
import type { RequestRecord } from '../../../money/requests/request-record.ts';
import type { Store } from '../../../platform/store/store.ts';

export interface RequestDetail {
  readonly id: string;
  readonly state: RequestState;
  readonly explanation: string;
  readonly startedAt: number | undefined;
  readonly accountId: string;
  readonly keyId: string | undefined;
  readonly record: RequestRecord | undefined;
  readonly priceVersion: string | undefined;
  readonly cost: Nano | undefined;
  /** Calculation of the cost. Empty if the tokens or the prices are unknown. */
  readonly costLines: readonly CostLine[];
  /** The factor of the package in its price, in millionths. */
  readonly factor: bigint | undefined;
  readonly toolLines: readonly ToolLine[];
  readonly ledger: readonly OwnedLine[];
}

export const requestStates = ['recorded', 'recovered', 'charged', 'open'] as const;
export type RequestState = (typeof requestStates)[number];

const explanations: Readonly<Record<RequestState, string>> = {
  recorded: 'The request has ended, and its record is complete.',
  recovered:
    'The gateway process that served the request ended while the response was streaming, so the rest was not recorded. The request was charged for the output up to the last checkpoint, which was at most a few seconds old.',
  charged:
    'The request was charged in full, but it has no record: the process ended before the record was written, or the record is older than `requests.retention`.',
  open: 'The request is in progress. If its process has stopped, the output up to the last checkpoint is charged within two minutes.',
};

const promptOnlyExplanation =
  'The request has ended, and its record is complete. It was aborted after it was sent to the provider and before the response began, so only its prompt was charged.';

/** Whether it ended at a provider before any output. */
function isPromptOnly({ cost, firstByteMs, completionTokens }: RequestRecord): boolean {
  return cost !== undefined && cost > 0n && firstByteMs === undefined && completionTokens === 0;
}

/** Finds a request by its own id or by the id of its answer. */
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
    // A request without a charge has no cost lines, even if tokens were used.
    costLines: price && cost ? costLinesOf(record, price) : [],
    factor: price?.factor,
    toolLines: price && cost ? toolLines(record, price) : [],
    ledger: linesOf(ledger, accountId),
  };
}

function costLinesOf(record: RequestRecord, price: Price): readonly CostLine[] {
  if (record.costLines !== undefined) return decodeCostLines(record.costLines);
  const { promptTokens, completionTokens } = record;
  if (promptTokens === undefined || completionTokens === undefined) return [];
  return costLines([{ ...unreportedUsage, ...record, promptTokens, completionTokens }], price);
}

/** An operator may have used the same reference for another account. */
function linesOf(lines: readonly OwnedLine[], accountId: string): readonly OwnedLine[] {
  return lines.filter((line) => line.accountId === accountId);
}

interface ChargeSummary {
  readonly accountId: string;
  readonly keyId: string | undefined;
  readonly priceVersion: string | undefined;
}

function unrecorded(id: string, state: RequestState, { accountId, keyId, priceVersion }: ChargeSummary) {
  const basics = { id, state, explanation: explanations[state], startedAt: momentOfId(id) };
  return {
    ...basics,
    accountId,
    keyId,
    priceVersion,
    record: undefined,
    costLines: [],
    factor: undefined,
    toolLines: [],
  };
}
