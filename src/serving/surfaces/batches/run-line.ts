import { shortAndLong } from 'chat-formats/cache-lifetime.ts';
import type { KeyRing } from '../../../money/accounts/key-ring.ts';
import { BatchCancelled, type LineAttempt, type LineReply } from '../../../work/batches/line-attempt.ts';
import type { BatchRow } from '../../../work/batches/batch-rows.ts';
import type { ErrorCase } from 'chat-formats/error-table.ts';
import { caseOf, GatewayError, lacksMoney } from 'chat-formats/gateway-error.ts';
import type { LineOutcome } from '../../../core/line-outcome.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import type { HttpLimits } from '../../http/limits.ts';
import type { Route } from '../../http/route.ts';
import type { Receipt } from '../../inference/money/bill.ts';
import type { InferenceInput } from '../../inference/inference-input.ts';
import { chatCompletions, completions } from '../chat-completions.ts';
import { converse, type SurfaceParts } from '../conversation.ts';
import { explain } from '../envelope.ts';
import { explainMessages } from '../messages/envelope.ts';
import { messages } from '../messages/messages.ts';
import { passThroughRoutes } from '../pass-through/pass-through.ts';
import { BackgroundConversation, type ResponseIdentity } from '../responses/background/background-conversation.ts';
import type { EventRelay } from '../responses/background/event-relay.ts';
import { responseFailure } from '../responses/failure.ts';
import { responses, type ResponsesParts } from '../responses/responses.ts';
import { batchEndpoints, isBatchEndpoint } from './endpoints.ts';
import { LineExchange } from './line-exchange.ts';

export interface LineParts extends Omit<SurfaceParts, 'keys'> {
  readonly keys: Pick<KeyRing, 'holderWithId' | 'rememberedWithId'>;
  readonly storage: ResponsesParts['storage'];
  readonly inFlight: ResponsesParts['inFlight'];
  readonly relay: EventRelay | undefined;
  /** Of a response in the background. */
  readonly identity: (batch: BatchRow) => ResponseIdentity;
  readonly limits: () => HttpLimits;
  /** The terms of the idle class for a seat of a batch. */
  readonly idle: (batch: LineAttempt['batch'], seat: LineAttempt['seat']) => InferenceInput['idle'];
}

/** Errors that say nothing about the request: it may find capacity later. */
const withoutCapacity: ReadonlySet<ErrorCase> = new Set(['overloaded', 'key-busy', 'shutting-down', 'not-ready']);
const repeatable: ReadonlySet<ErrorCase> = new Set(['upstream-failed', 'upstream-timeout', 'internal-error']);

/** Runs a line as a live request with the same body, with the rules of its key as they are now. */
export async function runLine(parts: LineParts, attempt: LineAttempt): Promise<LineReply> {
  const { batch, requestId, body } = attempt;
  const { supportEmail, messagesPrefix } = parts.settings();
  const isMessages = batch.endpoint === '/v1/messages';
  const path = isMessages ? `${messagesPrefix}${batch.endpoint}` : batch.endpoint;
  const headers = { ...(ownJson(batch.headers) as Record<string, string>), ...batchKey };
  const explained = isMessages ? explainMessages : explain;
  let isMoneyHeld: Promise<boolean> | undefined;
  const exchange = new LineExchange(
    {
      id: requestId,
      path,
      host: batch.host,
      address: batch.address,
      headers,
      body,
      gone: attempt.signal,
      isStreamed: batch.kind === 'response',
    },
    {
      limits: parts.limits(),
      explain(error) {
        isMoneyHeld ??= lacksMoney(error) ? attempt.isMoneyHeld() : undefined;
        return explained(error, requestId, supportEmail);
      },
    },
  );
  const isBackground = batch.kind === 'response';
  const background = isBackground ? new BackgroundConversation(parts, parts.identity(batch)) : undefined;
  const kept = (error: unknown): string | undefined =>
    background?.kept(error === undefined ? undefined : responseFailure(error, requestId, supportEmail));
  const result = new LineResult(attempt, exchange, kept);
  try {
    const lineParts = linePartsOf(parts, attempt, result);
    if (background) await runInBackground(parts, attempt, () => converse(lineParts, background, exchange), background);
    else await routeOf(lineParts, batch.endpoint).handle(exchange, {});
  } catch (error) {
    exchange.fail(error);
  }
  return { ...result.reply(), moneyMayReturn: (await isMoneyHeld) ?? false };
}

async function runInBackground(
  { relay }: LineParts,
  { batch, requestId }: LineAttempt,
  run: () => Promise<void>,
  conversation: BackgroundConversation,
): Promise<void> {
  try {
    await (relay ? relay.during(requestId, `resp_${batch.id}`, run) : run());
  } finally {
    conversation.over();
  }
}

/** The key of a batch is found by its id. The surfaces only look for a text where clients send their key. */
const batchKey = { authorization: 'Bearer batch', 'x-api-key': 'batch' };

function linePartsOf(parts: LineParts, attempt: LineAttempt, result: LineResult): ResponsesParts {
  const { batch, line, seat, waits, willCall } = attempt;
  const { keys, running, inference, idle, ...surface } = parts;
  return {
    ...surface,
    keys: {
      holder: () => keys.holderWithId(batch.key_id),
      remembered: () => keys.rememberedWithId(batch.key_id),
    },
    claims: undefined,
    bodies: undefined,
    running: {
      ...running,
      enter(caller, gone) {
        const entered = running.enter(caller, gone);
        const wait = (isWaiting: boolean): void => {
          waits(isWaiting);
          entered.waits(isWaiting);
        };
        return { ...entered, waits: wait, willCall };
      },
    },
    inference: {
      ...inference,
      current() {
        const now = inference.current();
        return { ...now, catalog: batch.kind === 'batch' ? now.catalog.forBatches : now.catalog };
      },
    },
    line: {
      idle: idle(batch, seat),
      note: batch.kind === 'batch' ? `line ${line} of batch_${batch.id}` : `resp_${batch.id} in the background`,
      chargedWith: (receipt, text) => result.charged(receipt, text),
    },
  };
}

function routeOf(parts: ResponsesParts, endpoint: string): Pick<Route, 'handle'> {
  if (!isBatchEndpoint(endpoint)) throw new GatewayError('not-found');
  const surface = batchEndpoints[endpoint];
  switch (surface) {
    case 'openai':
      return endpoint === '/v1/completions' ? completions(parts) : chatCompletions(parts, undefined);
    case 'openai-response':
      return responses(parts);
    case 'anthropic':
      return messages(parts, parts.settings().messagesPrefix);
    case 'embeddings': {
      const route = passThroughRoutes(parts).find(({ path }) => path === endpoint);
      if (!route) throw new GatewayError('not-found');
      return route;
    }
    default:
      return surface satisfies never;
  }
}

/** The outcome of a line, with the usage and the charge of its request if there is one. */
class LineResult {
  readonly #attempt: LineAttempt;
  readonly #exchange: LineExchange;
  readonly #kept: (error: unknown) => string | undefined;
  #receipt: Receipt | undefined;
  /** A provider worked on it when its batch was cancelled. */
  #isCancelled = false;

  /** `kept` returns what is stored instead of the reply, if something is. */
  constructor(attempt: LineAttempt, exchange: LineExchange, kept: (error: unknown) => string | undefined) {
    this.#attempt = attempt;
    this.#exchange = exchange;
    this.#kept = kept;
  }

  /** The body is stored before the charge, and the outcome with it. */
  async charged(receipt: Receipt, text: string | undefined): Promise<LineOutcome | undefined> {
    const exchange = this.#exchange;
    if (receipt.cost === 0n) {
      this.#receipt = text === undefined ? undefined : receipt;
      return undefined;
    }
    const { batch, signal } = this.#attempt;
    if (text === undefined && batch.kind === 'batch' && signal.reason instanceof BatchCancelled) {
      this.#isCancelled = true;
      this.#receipt = receipt;
      return this.#outcome(null);
    }
    // An answer that was aborted has neither a body nor an error.
    if (text === undefined) exchange.fail(new GatewayError('shutting-down'));
    const reply = text === undefined ? exchange.reply : { status: 200, body: text };
    await this.#attempt.keep(this.#kept(text === undefined ? exchange.error : undefined) ?? reply?.body ?? '');
    this.#receipt = receipt;
    return this.#outcome(reply?.status ?? 500);
  }

  reply(): Omit<LineReply, 'moneyMayReturn'> {
    const { reply, error } = this.#exchange;
    const errorCase = caseOf(error);
    return {
      outcome: this.#outcome(this.#isCancelled ? null : (reply?.status ?? 500)),
      body: this.#kept(error) ?? reply?.body ?? '',
      isCharged: this.#receipt !== undefined && this.#receipt.cost > 0n,
      mayRepeat: error !== undefined && withoutCapacity.has(errorCase),
      hasFailed: error !== undefined && repeatable.has(errorCase),
      lacksMoney: lacksMoney(error),
    };
  }

  /** Without a status, it is cancelled. */
  #outcome(status: number | null): LineOutcome {
    const { batch, line } = this.#attempt;
    const usage = this.#receipt?.usage;
    const [shortWrites, longWrites] = usage ? shortAndLong(usage) : [];
    const unanswered = status === null ? 'cancelled' : 'failed';
    return {
      batchId: batch.id,
      line,
      state: status === 200 ? 'succeeded' : unanswered,
      status,
      inputTokens: usage?.promptTokens ?? 0,
      cachedTokens: usage?.cachedTokens ?? 0,
      cacheWriteTokens: (shortWrites ?? 0) + (longWrites ?? 0),
      outputTokens: usage?.completionTokens ?? 0,
      reasoningTokens: usage?.reasoningTokens ?? 0,
    };
  }
}
