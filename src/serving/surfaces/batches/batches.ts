import { z } from 'zod';
import { type BatchRow, problemsOf } from '../../../work/batches/batch-rows.ts';
import type { Batches, BatchState, NewBatch } from '../../../work/batches/batches.ts';
import type { Caller } from '../../../core/caller.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import type { Files } from '../../../work/files/files.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { HttpLimits } from '../../http/limits.ts';
import type { Route } from '../../http/route.ts';
import type { Store } from '../../../platform/store/store.ts';
import { bearerSecret, callerOf } from '../caller.ts';
import type { SurfaceParts } from '../conversation.ts';
import type { Creation, Creations } from '../creations.ts';
import { limitIn, listOf } from '../files/files.ts';
import { invalid, requireSeconds } from '../files/upload.ts';
import { batchEndpoints, isBatchEndpoint } from './endpoints.ts';

export interface BatchRouteParts extends SurfaceParts {
  readonly files: Files;
  readonly batches: Batches;
  readonly creations: Creations;
  readonly messageBatchLimits: () => MessageBatchLimits;
}

export interface MessageBatchLimits {
  /** Of the body that creates a message batch. */
  readonly messageBatchBytesMax: number;
  /** Of each request in it. */
  readonly requests: HttpLimits;
}

const limitMax = 100;
const limitUnlessSaid = 20;
const pairsMax = 16;

const creation = z.object({
  input_file_id: z.string(),
  endpoint: z.string(),
  completion_window: z.literal('24h'),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  output_expires_after: z.object({ anchor: z.literal('created_at'), seconds: z.number() }).nullish(),
});

/** `/v1/batches`: the batches of the key's account. Message batches are the same resource in the other format. */
export function batchRoutes(parts: BatchRouteParts): readonly Route[] {
  const { batches } = parts;
  const path = '/v1/batches';
  const accountOf = async (exchange: Exchange): Promise<string> =>
    (await callerOf(parts, exchange, bearerSecret)).key.accountId;
  return [
    {
      method: 'POST',
      path,
      handle: async (exchange) => {
        const caller = await callerOf(parts, exchange, bearerSecret);
        exchange.json(200, encodeBatch(await create(parts, caller, exchange)));
      },
    },
    {
      method: 'GET',
      path,
      handle: async (exchange) => {
        const accountId = await accountOf(exchange);
        const limit = limitIn(exchange.query, { max: limitMax, unlessSaid: limitUnlessSaid });
        const after = exchange.query.get('after');
        const page = { limit, after: after === null ? undefined : idIn(after) };
        exchange.json(200, listOf((await batches.list(accountId, page)).map(encodeBatch), limit));
      },
    },
    {
      method: 'GET',
      path: `${path}/:id`,
      handle: async (exchange, { id = '' }) => {
        exchange.json(200, encodeBatch(found(await batches.find(await accountOf(exchange), idIn(id)))));
      },
    },
    {
      method: 'POST',
      path: `${path}/:id/cancel`,
      handle: async (exchange, { id = '' }) => {
        const state = found(await batches.cancel(await accountOf(exchange), idIn(id)));
        if (state.batch.cancelling_at === null) {
          const detail = `The batch is ${state.batch.state} and can no longer be cancelled.`;
          throw new GatewayError('conflict', { detail });
        }
        exchange.json(200, encodeBatch(state));
      },
    },
  ];
}

async function create(parts: BatchRouteParts, caller: Caller, exchange: Exchange): Promise<BatchState> {
  const { accountId, keyId } = caller.key;
  const { value, digest } = await exchange.readJson({ party: accountId, withDigest: true });
  const result = creation.safeParse(value);
  if (!result.success) throw invalid(firstProblem(result.error));
  const { input_file_id: inputFileId, endpoint, metadata, output_expires_after: expires } = result.data;
  if (!isBatchEndpoint(endpoint)) throw invalid(`endpoint must be one of ${Object.keys(batchEndpoints).join(', ')}.`);
  if (Object.keys(metadata ?? {}).length > pairsMax) throw invalid(`metadata must have at most ${pairsMax} pairs.`);
  const outputSeconds = expires ? requireSeconds(expires.seconds, 'output_expires_after.seconds') : undefined;
  const request = { caller, exchange, digest };
  await parts.creations.admit(request);
  return createOnce(parts, request, async (store) => {
    const file = await parts.files.within(store).find(accountId, inputFileId);
    if (!file) throw invalid('input_file_id must be the id of a file of this account.');
    if (file.purpose !== 'batch') throw invalid('The input file must have the purpose batch.');
    return {
      kind: 'batch',
      accountId,
      keyId,
      host: exchange.host,
      address: exchange.address,
      headers: {},
      endpoint,
      inputFileId,
      metadata: metadata ?? undefined,
      outputSeconds,
      lines: file.lines,
    };
  });
}

/** A request that repeats another one gets the batch of the first, as it is now. */
export async function createOnce(
  { batches, creations }: Pick<BatchRouteParts, 'batches' | 'creations'>,
  creation: Creation,
  terms: (store: Store) => Promise<NewBatch>,
): Promise<BatchState> {
  const id = await creations.once(creation, async (store) => {
    const { batch } = await batches.within(store).create(await terms(store));
    return batch.id;
  });
  batches.onWork();
  return found(await batches.find(creation.caller.key.accountId, id));
}

function firstProblem({ issues }: z.ZodError): string {
  const [issue] = issues;
  return `${issue?.path.join('.') || 'The body'}: ${issue?.message ?? 'invalid'}.`;
}

/** The id without the prefix of a format. */
export function idIn(text: string): string {
  return text.replace(/^(?:msg)?batch_/, '');
}

export function found(state: BatchState | undefined): BatchState {
  if (state) return state;
  throw new GatewayError('not-found', {
    detail: 'No batch of this account has this id: it was deleted or has expired.',
  });
}

export function encodeBatch({ batch, sums }: BatchState) {
  const problems = problemsOf(batch);
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens } = sums;
  const endedAs = (state: BatchRow['state']) => (batch.state === state ? seconds(batch.ended_at) : null);
  return {
    id: `batch_${batch.id}`,
    object: 'batch',
    endpoint: batch.endpoint,
    errors: problems.length === 0 ? null : { object: 'list', data: problems },
    input_file_id: batch.input_file_id,
    completion_window: '24h',
    status: batch.state,
    output_file_id: batch.output_file_id,
    error_file_id: batch.error_file_id,
    created_at: seconds(batch.created_at),
    in_progress_at: seconds(batch.in_progress_at),
    expires_at: seconds(batch.expires_at),
    finalizing_at: seconds(batch.finalizing_at),
    completed_at: endedAs('completed'),
    failed_at: endedAs('failed'),
    expired_at: endedAs('expired'),
    cancelling_at: seconds(batch.cancelling_at),
    cancelled_at: endedAs('cancelled'),
    request_counts: {
      total: sums.lines,
      completed: sums.succeeded,
      failed: sums.failed + sums.cancelled + sums.expired,
    },
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: cachedTokens },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: reasoningTokens },
      total_tokens: inputTokens + outputTokens,
    },
    metadata: batch.metadata === null ? null : (ownJson(batch.metadata) as Record<string, string>),
  };
}

function seconds(at: number | null): number | null {
  return at === null ? null : Math.floor(at / 1000);
}
