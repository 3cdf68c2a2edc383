import { type BackgroundRequest, statusOf } from '../../../../work/batches/background-requests.ts';
import type { BatchRow } from '../../../../work/batches/batch-rows.ts';
import type { EndedResponse } from '../../../../work/batches/output-files.ts';
import type { Caller } from '../../../../core/caller.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { responseObject } from 'chat-formats/responses/answer/response-object.ts';
import { listOf, nonEmptyString, objectOf, type WireObject } from 'chat-formats/wire-value.ts';
import type { Exchange } from '../../../http/exchange.ts';
import type { RunningRequests } from '../../../inference/running-requests.ts';
import { agentHeaders } from '../../coding-agents.ts';
import type { Creations } from '../../creations.ts';
import type { ReplyEnd } from '../../replies/reply-reader.ts';
import type { SharedReply } from '../../replies/shared-reply.ts';
import { tagsHeader } from '../../request-tags.ts';
import { itemsOf, type NewBackgroundResponse } from '../response-conversation.ts';
import type { ResponseStorage } from '../sealed-responses.ts';
import { named, sealedField, shownResponse } from '../stored-content.ts';
import { openingIn } from './background-conversation.ts';
import { BackgroundStream, deleted, type EventReader, type StreamParts } from './background-stream.ts';
import { BackgroundWatches } from './background-watch.ts';
import { endedContent, withEnd } from './ended-response.ts';

interface BackgroundParts extends Omit<StreamParts, 'watches'> {
  readonly storage: Pick<ResponseStorage, 'store' | 'find'>;
  readonly creations: Creations;
  readonly running: Pick<RunningRequests, 'enter'>;
}

type StreamTerms = Pick<EventReader, 'startingAfter' | 'showsSealed'>;

/** Headers of the client that its request needs when it runs. */
const keptHeaders = [tagsHeader, ...agentHeaders];
/** How long the reply to a cancellation waits for the end of the response. */
const cancelMs = 5000;
const pollMs = 50;

/** Responses in the background. One belongs to no connection and no process until it is a stored response. */
export class BackgroundResponses {
  readonly #parts: BackgroundParts & StreamParts;

  constructor(parts: BackgroundParts) {
    const watches = new BackgroundWatches(parts);
    this.#parts = { ...parts, watches };
    parts.inFlight.onAdd = (id) => watches.wake(requestIdOf(id) ?? '');
  }

  /** Creates it, unless an earlier request has. Replies with it or with its events. */
  async begin(response: NewBackgroundResponse): Promise<ReplyEnd> {
    const { caller, request, exchange, reply, running } = response;
    const opening = this.#openingOf(response);
    const id = await this.#create(response, opening);
    const isFirst = id === exchange.id;
    reply.request.note(isFirst ? `it began resp_${id} in the background` : `it repeats the creation of resp_${id}`);
    const showsSealed = listOf(request.wire.body['include']).includes(sealedField);
    if (request.wantsStream) return this.#streamTo(reply, caller, id, { running, showsSealed });
    const body = isFirst ? opening : JSON.stringify(await this.#current(caller, `resp_${id}`, showsSealed));
    const form = { kind: 'body', status: 200, contentType: 'application/json' } as const;
    reply.setForm(form);
    await reply.prepareEnd(body);
    reply.request.markFirstByte();
    reply.end(body);
    return { error: undefined, isClientGone: reply.gone.aborted, isCommitted: true };
  }

  /** A response that has not ended; undefined for every other id. */
  async find(accountId: string, responseId: string): Promise<BackgroundRequest | undefined> {
    const id = requestIdOf(responseId);
    const found = id === undefined ? undefined : await this.#parts.requests.find(accountId, id);
    return found?.batch.ended_at === null ? found : undefined;
  }

  /** As far as this process knows it. */
  soFar({ batch, line }: BackgroundRequest): WireObject {
    const { inFlight, requests } = this.#parts;
    const running = inFlight.find(batch.account_id, `resp_${batch.id}`);
    const isOwn = running !== undefined && running.requestId === line?.request_id;
    const response = isOwn ? running.soFar.response : openingIn(requests.openingOf(batch));
    return { ...response, status: isOwn && batch.cancelling_at === null ? 'in_progress' : statusOf({ batch, line }) };
  }

  async inputOf({ batch }: BackgroundRequest): Promise<readonly WireObject[]> {
    return named(await this.#sentInput(batch), `resp_${batch.id}`);
  }

  /** Resolves with the cancelled response. One that ended meanwhile is `undefined`. */
  async cancel({ batch }: BackgroundRequest): Promise<WireObject | undefined> {
    const { clock, requests } = this.#parts;
    const untilMs = clock.elapsed() + cancelMs;
    await requests.cancel(batch.account_id, batch.id);
    for (;;) {
      const found = await this.find(batch.account_id, `resp_${batch.id}`);
      if (!found) return undefined;
      if (clock.elapsed() >= untilMs) return this.soFar(found);
      await new Promise((resolve) => clock.after(pollMs, () => resolve(undefined)));
    }
  }

  async remove(accountId: string, responseId: string): Promise<void> {
    const id = requestIdOf(responseId);
    if (id !== undefined) await this.#parts.requests.remove(accountId, id);
  }

  /** Sends its events from a number on until it ends, also if other processes generate it. */
  async stream(exchange: Exchange, caller: Caller, responseId: string, terms: StreamTerms): Promise<void> {
    const { leave, ...running } = this.#parts.running.enter(caller, exchange.gone);
    try {
      await this.#streamOf(responseId, caller, { ...terms, writer: exchange.openEventStream(), running }).send();
    } catch (error) {
      if (!exchange.gone.aborted) throw error;
    } finally {
      leave();
    }
  }

  /** Stores the response of a batch that has ended. */
  async store(ended: EndedResponse): Promise<void> {
    const { requests, storage } = this.#parts;
    const { batch, line } = ended;
    const opening = openingIn(requests.openingOf(batch));
    const begun = { input: await this.#sentInput(batch), response: opening, score: undefined, opening };
    const place = {
      accountId: batch.account_id,
      id: `resp_${batch.id}`,
      previousResponseId: nonEmptyString(opening['previous_response_id']),
    };
    const content = endedContent(ended, begun);
    const storing = await storage.store({ ...content, ...place }).catch(async (error: unknown) => {
      if (!(error instanceof GatewayError)) throw error;
      const message = `The response was charged, but is too large to be stored. ${error.detail ?? ''}`;
      const failure = { code: 'server_error', type: 'gateway_error', message };
      return storage.store({ ...withEnd({ ...begun, input: [] }, failure, line), ...place, opening });
    });
    if (storing !== 'stored') throw new Error(`the store has not confirmed ${place.id} yet`);
  }

  /** The response object when it is created, as JSON text. */
  #openingOf({ exchange: { id }, model, request: { wire } }: NewBackgroundResponse): string {
    const now = Math.floor(this.#parts.clock.now() / 1000);
    const encoding = { id, created: now, model, body: wire.body, now: () => now, logprobs: false };
    return JSON.stringify(responseObject(encoding, { status: 'queued', output: [] }));
  }

  /** Resolves with the id of the request that created it. */
  #create({ caller, exchange, digest, body }: NewBackgroundResponse, opening: string): Promise<string> {
    const { creations, requests } = this.#parts;
    const { id, host, address } = exchange;
    const headers = Object.fromEntries(
      keptHeaders.flatMap((name) => {
        const sent = exchange.header(name);
        return sent === undefined ? [] : [[name, sent]];
      }),
    );
    const creation = { caller, exchange, ...(digest !== undefined && { digest }) };
    return requests.create(
      { id, key: caller.key, host, address, headers, body, opening },
      {
        admit: () => creations.admit(creation),
        once: (create) => creations.once(creation, create),
      },
    );
  }

  /** A response that an earlier request created, ended or not. */
  async #current({ key: { accountId } }: Caller, responseId: string, showsSealed: boolean): Promise<WireObject> {
    const unfinished = await this.find(accountId, responseId);
    if (unfinished) return this.soFar(unfinished);
    const stored = await this.#parts.storage.find(accountId, responseId);
    if (!stored) throw deleted();
    return shownResponse(stored, showsSealed);
  }

  async #streamTo(
    reply: SharedReply,
    caller: Caller,
    id: string,
    { running, showsSealed }: Pick<EventReader, 'running' | 'showsSealed'>,
  ): Promise<ReplyEnd> {
    const writer: EventReader['writer'] = {
      write(frames) {
        reply.request.markFirstByte();
        return reply.write(frames);
      },
      onDrain: (callback) => reply.onDrain(callback),
      async end(last) {
        await reply.prepareEnd(last);
        reply.end(last);
      },
    };
    const terms = { writer, running, showsSealed, startingAfter: -1 };
    try {
      await this.#streamOf(`resp_${id}`, caller, terms).send();
    } catch (error) {
      if (!reply.hasBegun) throw error;
      // Its client can stream the rest later.
      if (!reply.gone.aborted) reply.breakOff('', '', error);
    }
    return { error: undefined, isCommitted: true, isClientGone: reply.gone.aborted };
  }

  #streamOf(responseId: string, { key }: Caller, reader: EventReader): BackgroundStream {
    return new BackgroundStream(this.#parts, { accountId: key.accountId, id: requestIdOf(responseId) ?? '' }, reader);
  }

  async #sentInput(batch: BatchRow): Promise<readonly WireObject[]> {
    const body = objectOf(await this.#parts.requests.bodyOf(batch));
    return itemsOf(body?.['input']) as readonly WireObject[];
  }
}

/** Ids of the gateway only. */
function requestIdOf(responseId: string): string | undefined {
  return /^resp_([0-9a-z]{20,40})$/.exec(responseId)?.[1];
}
