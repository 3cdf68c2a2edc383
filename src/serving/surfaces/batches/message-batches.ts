import type { BatchRow } from '../../../work/batches/batch-rows.ts';
import type { BatchState } from '../../../work/batches/batches.ts';
import type { Caller } from '../../../core/caller.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { membersOf } from 'chat-formats/json/json-splice.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import type { Files } from '../../../work/files/files.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Route } from '../../http/route.ts';
import { apiKeySecret, callerOf } from '../caller.ts';
import { limitIn, sendPieces } from '../files/files.ts';
import { invalid } from '../files/upload.ts';
import { serverUrl } from '../openapi/server-url.ts';
import { type BatchRouteParts, createOnce, found, idIn } from './batches.ts';
import { writeRequests } from './message-requests.ts';

const endpoint = '/v1/messages';
const limitMax = 1000;
const limitUnlessSaid = 20;

/** `{messages_prefix}/v1/messages/batches`: the message batches of the key's account. */
export function messageBatchRoutes(parts: BatchRouteParts, prefix: string): readonly Route[] {
  const { batches } = parts;
  const path = `${prefix}${endpoint}/batches`;
  const callerIn = (exchange: Exchange): Promise<Caller> => callerOf(parts, exchange, apiKeySecret);
  const encode = (exchange: Exchange, state: BatchState) =>
    encodeMessageBatch(state, `${serverUrl(exchange)}${path}/msgbatch_${state.batch.id}/results`);
  const batchOf = async (exchange: Exchange, id = ''): Promise<BatchState> => {
    const { key } = await callerIn(exchange);
    return ofMessages(await batches.find(key.accountId, idIn(id)));
  };
  return [
    {
      method: 'POST',
      path,
      handle: async (exchange) =>
        exchange.json(200, encode(exchange, await create(parts, await callerIn(exchange), exchange))),
    },
    {
      method: 'GET',
      path,
      handle: async (exchange) => {
        const { key } = await callerIn(exchange);
        const limit = limitIn(exchange.query, { max: limitMax, unlessSaid: limitUnlessSaid });
        const [after, before] = [exchange.query.get('after_id'), exchange.query.get('before_id')];
        const page = {
          limit,
          endpoint,
          after: after === null ? undefined : idIn(after),
          before: before === null ? undefined : idIn(before),
        };
        const states = await batches.list(key.accountId, page);
        const inOrder = before === null ? states.slice(0, limit) : states.slice(0, limit).toReversed();
        const data = inOrder.map((state) => encode(exchange, state));
        const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
        exchange.json(200, { data, has_more: states.length > limit, ...ends });
      },
    },
    {
      method: 'GET',
      path: `${path}/:id`,
      handle: async (exchange, { id }) => exchange.json(200, encode(exchange, await batchOf(exchange, id))),
    },
    {
      method: 'POST',
      path: `${path}/:id/cancel`,
      handle: async (exchange, { id = '' }) => {
        const { batch } = await batchOf(exchange, id);
        exchange.json(200, encode(exchange, found(await batches.cancel(batch.account_id, batch.id))));
      },
    },
    ...endedBatchRoutes(parts, path, batchOf),
  ];
}

/** Results and deletion, which need a batch that has ended. */
function endedBatchRoutes(
  { batches, files }: BatchRouteParts,
  path: string,
  batchOf: (exchange: Exchange, id?: string) => Promise<BatchState>,
): readonly Route[] {
  return [
    {
      method: 'GET',
      path: `${path}/:id/results`,
      handle: async (exchange, { id }) => {
        const { batch } = await batchOf(exchange, id);
        if (batch.ended_at === null)
          throw invalid('The batch has no results yet. Read them when its processing_status is ended.');
        await sendPieces(exchange, 'application/x-jsonl', resultsOf(files, batch));
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:id`,
      handle: async (exchange, { id }) => {
        const { batch } = await batchOf(exchange, id);
        if (batch.ended_at === null) throw invalid('A batch in progress cannot be deleted. Cancel it first.');
        await batches.remove(batch.account_id, batch.id);
        exchange.json(200, { id: `msgbatch_${batch.id}`, type: 'message_batch_deleted' });
      },
    },
  ];
}

/** The requests become a file of lines, which only the gateway sees. */
async function create(parts: BatchRouteParts, caller: Caller, exchange: Exchange): Promise<BatchState> {
  const { accountId, keyId } = caller.key;
  await parts.creations.admit({ caller, exchange });
  const { inputFileId, lines, digest } = await writeRequests(parts, caller, exchange);
  const headers = Object.fromEntries(
    formatHeaders.flatMap((name) => {
      const sent = exchange.header(name);
      return sent === undefined ? [] : [[name, sent]];
    }),
  );
  const { host, address } = exchange;
  const origin = { accountId, keyId, host, address, headers };
  const terms = { endpoint, inputFileId, metadata: undefined, outputSeconds: undefined, lines };
  let created: BatchState | undefined;
  try {
    created = await createOnce(parts, { caller, exchange, digest }, () =>
      Promise.resolve({ kind: 'batch', format: 'anthropic', ...origin, ...terms }),
    );
    return created;
  } finally {
    const isUsed = created?.batch.input_file_id === inputFileId;
    if (!isUsed) await parts.files.remove(accountId, inputFileId).catch(() => undefined);
  }
}

const formatHeaders = ['anthropic-version', 'anthropic-beta'];

/** Batches of other endpoints have answers in other formats. */
function ofMessages(state: BatchState | undefined): BatchState {
  return found(state?.batch.endpoint === endpoint ? state : undefined);
}

function encodeMessageBatch({ batch, sums }: BatchState, resultsUrl: string) {
  const isEnded = batch.ended_at !== null;
  const { lines, succeeded, failed, cancelled, expired } = sums;
  const counts = isEnded
    ? { processing: 0, succeeded, errored: failed, canceled: cancelled, expired }
    : { processing: lines, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
  return {
    id: `msgbatch_${batch.id}`,
    type: 'message_batch',
    processing_status: isEnded ? 'ended' : batch.cancelling_at === null ? 'in_progress' : 'canceling',
    request_counts: counts,
    created_at: timeText(batch.created_at),
    expires_at: timeText(batch.expires_at),
    ended_at: timeText(batch.ended_at),
    cancel_initiated_at: timeText(batch.cancelling_at),
    archived_at: null,
    results_url: isEnded && batch.state !== 'failed' ? resultsUrl : null,
  };
}

function timeText(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** The lines of both files in the format of results. */
async function* resultsOf(files: Files, batch: BatchRow): AsyncGenerator<Buffer> {
  for (const id of [batch.output_file_id, batch.error_file_id]) {
    const file = id === null ? undefined : await files.find(batch.account_id, id);
    if (id !== null && !file)
      throw new GatewayError('not-found', { detail: 'The results of this batch have expired.' });
    if (!file) continue;
    for await (const chunk of files.content(file)) {
      const lines = chunk.toString('utf8').split('\n').filter(Boolean);
      yield Buffer.from(lines.map(resultOf).join(''));
    }
  }
}

/** The result for a line of an output file. The body of its reply stays as it is. */
function resultOf(line: string): string {
  const members = membersOf(line);
  const response = membersOf(members.get('response') ?? '');
  const body = response.get('body');
  const result =
    body === undefined
      ? unanswered(ownJson(members.get('error') ?? '{}') as OutputError)
      : response.get('status_code') === '200'
        ? `{"type":"succeeded","message":${body}}`
        : `{"type":"errored","error":${body}}`;
  return `{"custom_id":${members.get('custom_id')},"result":${result}}\n`;
}

interface OutputError {
  readonly code: string;
  readonly message: string;
}

function unanswered({ code, message }: OutputError): string {
  if (code === 'batch_cancelled') return '{"type":"canceled"}';
  if (code === 'batch_expired') return '{"type":"expired"}';
  const error = { type: 'error', error: { type: 'api_error', message } };
  return JSON.stringify({ type: 'errored', error });
}
