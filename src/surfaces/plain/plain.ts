import type { Exchange } from '../../http/exchange.ts';
import type { Route } from '../../http/route.ts';
import { type PlainAsked, PlainInference } from '../../inference/infer-plain.ts';
import type { RunningRequest } from '../../inference/running-requests.ts';
import { bearerSecret, callerOf } from '../caller.ts';
import { clientPatienceMs } from '../client-patience.ts';
import { serve, type SurfaceParts } from '../conversation.ts';
import type { ReplyEnd } from '../reply-end.ts';
import { ServedRequest } from '../served-request.ts';
import { boundaryOf } from './multipart.ts';
import { passStream } from './passed-stream.ts';
import type { PlainRow } from './row.ts';
import { plainRows } from './rows.ts';

/** The endpoints that hand a body on as it is, at a price of their own; keys, turns, ledger and records are those of all. */
export function plainEndpointRoutes(parts: SurfaceParts): readonly Route[] {
  return plainRows.map((row) => ({
    method: 'POST',
    path: `/v1${row.path}`,
    handle: (exchange) => pass(parts, row, exchange),
  }));
}

async function pass(parts: SurfaceParts, row: PlainRow, exchange: Exchange): Promise<void> {
  const { catalog } = parts.inference.current();
  const caller = await callerOf(exchange, bearerSecret, { keys: parts.keys, catalog });
  const served = new ServedRequest(exchange, caller, parts.clock);
  await serve(parts, exchange, { caller, served, shared: undefined }, async (running) => {
    const request = await asked(row, exchange, caller.key.accountId);
    served.bodyCame(exchange);
    served.asks({ model: request.model, userId: request.userId, wantsStream: false }, true);
    running.signal.throwIfAborted();
    const patienceMs = clientPatienceMs(exchange.header('x-stainless-timeout'));
    const giveUpMs = patienceMs === undefined ? undefined : served.startedMs + patienceMs;
    const about = { id: exchange.id, caller, request, giveUpMs, startedMs: served.startedMs };
    const inference = new PlainInference(parts.inference, { ...about, ...running });
    served.isAnsweredBy(inference);
    return reply(parts, exchange, inference, running);
  });
}

async function asked(row: PlainRow, exchange: Exchange, party: string): Promise<PlainAsked> {
  if (row.form === 'json') return row.decode(await exchange.readJson({ party }));
  const boundary = boundaryOf(exchange.header('content-type'));
  return row.decode(await exchange.readBytes({ party }), boundary);
}

/** Nothing is said before the answer is whole and paid for, or its first bytes are here, so that an error has its true status. */
async function reply(
  { clock, settings }: SurfaceParts,
  exchange: Exchange,
  inference: PlainInference,
  { signal }: Pick<RunningRequest, 'signal'>,
): Promise<ReplyEnd> {
  const answer = await inference.answer;
  if ('flow' in answer) {
    const { supportEmail, ...timing } = settings();
    return passStream(exchange, answer, { id: exchange.id, supportEmail, timing: { ...timing, clock } });
  }
  signal.throwIfAborted();
  exchange.send(200, answer.contentType, answer.body);
  return { error: undefined, isClientGone: exchange.gone.aborted, isCommitted: true };
}
