import { GatewayError } from 'chat-formats/gateway-error.ts';
import { replayedEvents } from 'chat-formats/responses/answer/replay.ts';
import type { WireObject } from 'chat-formats/wire-value.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { PathParameters, Route } from '../../http/route.ts';
import { bearerSecret, callerOf } from '../caller.ts';
import type { SurfaceParts } from '../conversation.ts';
import { invalid, type ResponseStorage } from './sealed-responses.ts';
import type { BackgroundResponses } from './background/background-responses.ts';
import type { InFlightResponses } from './in-flight-responses.ts';
import { logAfter, sealedField, shownResponse, type StoredContent, withoutSealed } from './stored-content.ts';

interface StoredResponseParts extends SurfaceParts {
  readonly storage: Pick<ResponseStorage, 'find' | 'remove'>;
  readonly inFlight: InFlightResponses;
  readonly background: BackgroundResponses;
}

/** `/v1/responses/{id}` and its sub-paths: stored responses, visible to their account only. */
export function storedResponseRoutes(parts: StoredResponseParts): readonly Route[] {
  const { storage, background } = parts;
  const path = '/v1/responses/:id';
  return [
    {
      method: 'GET',
      path,
      handle: async (exchange, names) => {
        const { id = '' } = names;
        const wantsStream = exchange.query.get('stream') === 'true';
        const caller = await callerOf(parts, exchange, bearerSecret);
        const { accountId } = caller.key;
        // A response is stored before these two no longer find it.
        const unfinished = await background.find(accountId, id);
        if (unfinished && wantsStream) {
          const terms = { startingAfter: startingAfter(exchange) ?? -1, showsSealed: wantsSealed(exchange) };
          return background.stream(exchange, caller, id, terms);
        }
        if (unfinished) return exchange.json(200, background.soFar(unfinished));
        const running = parts.inFlight.find(accountId, id);
        if (running && wantsStream) return parts.inFlight.follow(id, exchange, startingAfter(exchange));
        if (running) return exchange.json(200, running.soFar.response);
        const content = await storage.find(accountId, id);
        if (!content) throw unknown();
        const response = shownResponse(content, wantsSealed(exchange));
        if (!wantsStream) return exchange.json(200, response);
        const after = startingAfter(exchange);
        exchange.openEventStream().end(replayedEvents(response, logAfter(content, after), after, content.opening));
      },
    },
    {
      method: 'DELETE',
      path,
      handle: async (exchange, { id = '' }) => {
        const accountId = await accountOf(parts, exchange);
        if ((await background.find(accountId, id)) || parts.inFlight.find(accountId, id)) throw inProgress();
        if (!(await storage.remove(accountId, id))) throw unknown();
        await background.remove(accountId, id);
        exchange.json(200, { id, object: 'response', deleted: true });
      },
    },
    {
      method: 'GET',
      path: `${path}/input_items`,
      handle: async (exchange, names) => {
        const { input } = await findResponse(parts, exchange, names);
        const items = wantsSealed(exchange) ? input : input.map(withoutSealed);
        exchange.json(200, inputPage(items, exchange.query));
      },
    },
    {
      method: 'POST',
      path: `${path}/cancel`,
      handle: async (exchange, { id = '' }) => {
        const accountId = await accountOf(parts, exchange);
        const unfinished = await background.find(accountId, id);
        const cancelled = unfinished && (await background.cancel(unfinished));
        if (cancelled) return exchange.json(200, cancelled);
        const content = parts.inFlight.find(accountId, id) ? undefined : await storage.find(accountId, id);
        if (content?.response['background'] === true)
          return exchange.json(200, shownResponse(content, wantsSealed(exchange)));
        if (!content && !parts.inFlight.find(accountId, id)) throw unknown();
        throw invalid(
          'Only a response with background: true can be cancelled. To cancel another response in progress, close its connection.',
        );
      },
    },
  ];
}

async function accountOf(parts: SurfaceParts, exchange: Exchange): Promise<string> {
  const { key } = await callerOf(parts, exchange, bearerSecret);
  return key.accountId;
}

async function findResponse(
  parts: StoredResponseParts,
  exchange: Exchange,
  { id = '' }: PathParameters,
): Promise<Pick<StoredContent, 'input'>> {
  const accountId = await accountOf(parts, exchange);
  const unfinished = await parts.background.find(accountId, id);
  if (unfinished) return { input: await parts.background.inputOf(unfinished) };
  const found = parts.inFlight.find(accountId, id) ?? (await parts.storage.find(accountId, id));
  if (!found) throw unknown();
  return found;
}

function wantsSealed({ query }: Exchange): boolean {
  return [...query.getAll('include[]'), ...query.getAll('include')].includes(sealedField);
}

function startingAfter({ query }: Exchange): number | undefined {
  const text = query.get('starting_after');
  if (text === null) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw invalid('starting_after must be the sequence number of an event.');
  return Number(text);
}

function inProgress(): GatewayError {
  return new GatewayError('conflict', {
    detail:
      'This response is still in progress. Delete it when it is complete. To end it, cancel it if it runs in the background, or close its connection.',
  });
}

function unknown(): GatewayError {
  return new GatewayError('not-found', {
    detail:
      'No response of this account has this id: it was not stored, was deleted, has expired, or is in progress in another process.',
  });
}

const limitMax = 100;
const limitUnlessSaid = 20;

function inputPage(items: readonly WireObject[], query: URLSearchParams): WireObject {
  const limit = limitIn(query);
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw invalid('order must be asc or desc.');
  const sorted = order === 'asc' ? items : items.toReversed();
  const after = query.get('after');
  const start = after === null ? 0 : sorted.findIndex((item) => item['id'] === after) + 1;
  if (after !== null && start === 0) throw invalid('after must be the id of an item in this list.');
  const data = sorted.slice(start, start + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: start + limit < sorted.length,
  };
}

function limitIn(query: URLSearchParams): number {
  const text = query.get('limit');
  if (text === null) return limitUnlessSaid;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > limitMax) throw invalid(`limit must be an integer between 1 and ${limitMax}.`);
  return limit;
}
