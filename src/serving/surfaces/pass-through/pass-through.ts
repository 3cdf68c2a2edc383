import { isUtf8 } from 'node:buffer';
import type { Caller } from '../../../core/caller.ts';
import { decimalText } from '../../../core/money.ts';
import { bodyDigest } from '../../http/body/body-digest.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Route } from '../../http/route.ts';
import { PassThroughInference, type PassThroughQuery } from '../../inference/infer-pass-through.ts';
import type { Receipt } from '../../inference/money/bill.ts';
import type { RunningRequest } from '../../inference/running-requests.ts';
import { bearerSecret, knownCaller, reloadChangedKey } from '../caller.ts';
import { clientDeadlineMs, serve, streamTiming, type SurfaceParts } from '../conversation.ts';
import { withoutIgnored, withoutIgnoredParts } from '../ignored-fields.ts';
import { joinReply, newReply } from '../replies/joined-reply.ts';
import { costHeaders, type ReplyEnd } from '../replies/reply-reader.ts';
import { requestTags, tagsHeader } from '../request-tags.ts';
import { ServedRequest } from '../served-request.ts';
import type { SharedReply } from '../replies/shared-reply.ts';
import { boundaryOf, formParts } from './multipart.ts';
import { type EndpointDefinition, eventStream } from './endpoint-definition.ts';
import { endpointDefinitions } from './endpoints.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { InferenceAnswer } from '../../inference/inference-input.ts';
import { sendAnswer, type StreamTiming } from '../answer-stream.ts';
import { publicError } from '../envelope.ts';

/** They have their own prices, and share keys, slots, ledger and records with all other endpoints. */
export function passThroughRoutes(parts: SurfaceParts): readonly Route[] {
  return endpointDefinitions.map((definition) => ({
    method: 'POST',
    path: `/v1${definition.path}`,
    handle: (exchange) => pass(parts, definition, exchange),
  }));
}

async function pass(parts: SurfaceParts, definition: EndpointDefinition, exchange: Exchange): Promise<void> {
  const caller = await knownCaller(parts, exchange, bearerSecret);
  const served = new ServedRequest(exchange, caller, parts.clock, parts.traces?.begin(exchange));
  const reply = newReply(parts, exchange, served);
  await serve(parts, exchange, { caller, reply }, async (running) => {
    const inFlight = { caller, running, reply };
    const { ignored } = parts.inference.current().catalog.rulesOf(caller.site);
    const { request, digest } = await readRequest(definition, exchange, {
      party: caller.key.accountId,
      withDigest: reply.terms !== undefined,
      ignored,
      note: (text) => served.note(text),
    });
    served.markBodyComplete(exchange);
    const tags = requestTags({ header: exchange.header(tagsHeader), metadata: undefined });
    const { supportEmail } = parts.settings();
    const joined = await joinReply(parts, exchange, inFlight, {
      digest,
      asks: () => served.asks({ model: request.model, userId: request.userId, tags, wantsStream: false }, true),
      model: () => parts.inference.current().catalog.require(caller, request.model, request.endpoint).id,
      errorFrame: (error) => errorFrame(error, { id: exchange.id, supportEmail }),
    });
    if (joined) return joined;
    const { line } = parts;
    const about = {
      id: exchange.id,
      caller,
      request,
      clientDeadlineMs: clientDeadlineMs(exchange, served),
      startedMs: served.startedMs,
      trace: served.trace,
      idle: line?.idle,
      chargedWith: line && ((receipt: Receipt, body: Buffer) => line.chargedWith(receipt, body.toString('utf8'))),
      reloadKey: () => reloadChangedKey(parts, exchange, bearerSecret, caller.key),
    };
    const inference = new PassThroughInference(parts.inference, { ...about, ...running });
    served.setInference(inference);
    return send(parts, { exchange, reply, caller }, inference, running);
  });
}

interface ReadOptions {
  readonly party: string;
  readonly withDigest: boolean;
  /** Fields that the site of the request ignores. */
  readonly ignored: ReadonlySet<string> | undefined;
  readonly note: (text: string) => void;
}

async function readRequest(
  definition: EndpointDefinition,
  exchange: Exchange,
  { party, withDigest, ignored, note }: ReadOptions,
): Promise<{ readonly request: PassThroughQuery; readonly digest: string | undefined }> {
  if (definition.form === 'json') {
    const body = await exchange.readJson({ party, withDigest });
    return { request: definition.decode(withoutIgnored(body, ignored, note)), digest: body.digest };
  }
  const boundary = boundaryOf(exchange.header('content-type'));
  const body = await exchange.readBytes({ party });
  return {
    request: definition.decode(withoutIgnoredParts(body, boundary, { ignored, note }), boundary),
    digest: withDigest ? await formDigest(body, boundary) : undefined,
  };
}

/** A client chooses a new boundary for each retry, so the digest covers only the parts. */
function formDigest(body: Buffer, boundary: string): Promise<string> {
  const parts = formParts(body, boundary).flatMap(({ name, start, end }) => [
    Buffer.from(`${name}\0${end - start}\0`),
    body.subarray(start, end),
  ]);
  return bodyDigest(Buffer.concat(parts));
}

/** Sends nothing before the answer is charged or its first bytes have arrived, so that an error has its own status. */
async function send(
  parts: SurfaceParts,
  { exchange, reply, caller }: { readonly exchange: Exchange; readonly reply: SharedReply; readonly caller: Caller },
  inference: PassThroughInference,
  { signal }: Pick<RunningRequest, 'signal'>,
): Promise<ReplyEnd> {
  const answer = await inference.answer;
  if ('flow' in answer) {
    const { supportEmail } = parts.settings();
    return passStream(reply, answer, { id: exchange.id, supportEmail, timing: streamTiming(parts) });
  }
  signal.throwIfAborted();
  const { contentType, body, cost } = answer;
  const { catalog } = parts.inference.current();
  const headers = catalog.reportsCost(caller) ? costHeaders(decimalText(cost)) : undefined;
  if (reply.terms) {
    // The replay buffer keeps strings.
    const isBytes = !isUtf8(body);
    const text = body.toString(isBytes ? 'latin1' : 'utf8');
    reply.setForm({ kind: 'body', status: 200, contentType, isBytes, headers });
    await reply.prepareEnd(text);
    reply.end(text);
  } else exchange.send(200, contentType, body, headers);
  return { error: undefined, isClientGone: reply.gone.aborted, isCommitted: true };
}

interface StreamContext {
  readonly id: string;
  readonly supportEmail: string | undefined;
  readonly timing: StreamTiming;
}

/** If events fail, the last is an error. Other content is cut off, so that half does not look whole. */
function passStream(
  reply: SharedReply,
  answer: InferenceAnswer & { readonly contentType: string },
  about: StreamContext,
): Promise<ReplyEnd> {
  const { contentType } = answer;
  const isOfEvents = eventStream.test(contentType);
  const format = {
    encoder: () => ({ encode: textOf, done: () => '' }),
    // A keep-alive could corrupt the bytes.
    keepAlive: () => '',
    errorFrame: (error: unknown) => (isOfEvents ? errorFrame(error, about) : undefined),
    form: { kind: 'stream' as const, contentType },
  };
  return sendAnswer(reply, Promise.resolve(answer), format, about.timing);
}

function textOf(batch: readonly StreamEvent[]): string {
  return batch.map((event) => (event.type === 'verbatim' ? event.text : '')).join('');
}

/** An error frame as bytes, one per character. The leading newlines end an open frame of the provider. */
function errorFrame(error: unknown, { id, supportEmail }: Pick<StreamContext, 'id' | 'supportEmail'>): string {
  const { code, message, type } = publicError(error, id, supportEmail);
  const data = JSON.stringify({ type: 'error', error: { code, message, type } });
  return Buffer.from(`\n\nevent: error\ndata: ${data}\n\n`, 'utf8').toString('latin1');
}
