import { check, group } from '../check.ts';
import type { ReceivedReply } from '../client.ts';
import { absentModel, type Context, type Fields } from '../context.ts';
import { eventsOf } from '../event-stream.ts';
import { at, isCount, isText, listAt, parsed } from '../json.ts';
import { expectThat, skip } from '../outcome.ts';
import { expectError, isUpstreamRejection } from '../refusal.ts';
import { describe, show } from '../wording.ts';

const path = '/v1/responses';
const responsesTag = 'openai-response';

export const responsesSurface = group('responses-surface', 'The responses surface', [
  check('missing', 'A request without a key is rejected with 401', async (context) => {
    expectError(await post(context, {}, {}), 401, 'invalid_api_key', 'authentication_error');
  }),
  check('same-key', 'The same key is accepted, and an unknown model gives 403', async (context) => {
    expectError(await post(context, bearer(context), {}), 403, 'access_denied', 'gateway_error');
  }),
  check('response', 'A model of this surface answers with a response', async (context) => {
    const reply = await sendInput(context, {});
    const response = parsed(reply.text);
    const isValid = reply.status === 200 && at(response, 'object') === 'response' && isText(at(response, 'id'));
    expectThat(isValid, '200 with a response that has an id', describe(reply));
    expectThat(listAt(response, 'output').length > 0, 'output to be a list of items', describe(reply));
    expectUsage(response, describe(reply));
  }),
  check('stream', 'Events begin with response.created and end with a response that has usage', async (context) => {
    const { reply, events } = await streamed(context);
    const last = events.at(-1);
    const types = events.map((event) => at(event, 'type'));
    expectThat(types[0] === 'response.created', 'response.created as the first event', show(types));
    const isOver = types.at(-1) === 'response.completed' || types.at(-1) === 'response.incomplete';
    expectThat(isOver, 'response.completed or response.incomplete as the last event', show(types));
    expectUsage(at(last, 'response'), show(last));
    expectThat(eventsOf(reply.text).at(-1) === '[DONE]', 'data: [DONE] after the last event', show(types));
  }),
  check('numbers', 'Events are numbered from 0 without a gap', async (context) => {
    const { events } = await streamed(context);
    const numbers = events.map((event) => at(event, 'sequence_number'));
    expectThat(
      numbers.every((number, index) => number === index),
      'sequence_number 0, 1, 2, …',
      show(numbers),
    );
  }),
  check('items', 'Every item has one id, and its events lie between added and done', async (context) => {
    const { events } = await streamed(context);
    for (const [flaw, seen] of itemFlaws(events)) expectThat(false, flaw, seen);
  }),
  check('previous', 'previous_response_id continues a response', async (context) => {
    const first = parsed((await sendInput(context, {})).text);
    const reply = await sendInput(context, { previous_response_id: at(first, 'id') });
    if (at(parsed(reply.text), 'error', 'code') === unknownPrevious) skip('this deployment stores no responses');
    expectThat(reply.status === 200, '200 for a request with previous_response_id', describe(reply));
  }),
  check('unknown-previous', 'An unknown previous_response_id is rejected with its own code', async (context) => {
    const reply = await sendInput(context, { previous_response_id: 'resp_conform_no_such_response' });
    expectError(reply, 400, unknownPrevious, 'gateway_error');
  }),
  check('no-web-socket', 'A WebSocket upgrade gives 426, so that the client can fall back', async (context) => {
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'Y29uZm9ybSBjb25mb3JtIQ==',
    };
    const reply = await context.send({ method: 'GET', path, headers: { ...bearer(context), ...upgrade } });
    if (reply.status === 404) skip(`this deployment has no ${path}`);
    expectThat(reply.status === 426, '426', describe(reply));
  }),
]);

const unknownPrevious = 'previous_response_not_found';

/** The first violation of the order of events; empty if there is none. */
function itemFlaws(events: readonly unknown[]): readonly (readonly [rule: string, seen: string])[] {
  let open: unknown;
  let items = 0;
  for (const event of events) {
    const type = String(at(event, 'type'));
    const index = at(event, 'output_index');
    if (type === 'response.output_item.added') {
      if (open !== undefined) return [['an item to be done before the next is added', show(event)]];
      if (index !== items) return [[`output_index ${items}`, show(event)]];
      open = at(event, 'item', 'id');
    } else if (type === 'response.output_item.done') {
      if (open === undefined || at(event, 'item', 'id') !== open)
        return [['the item that was added to be done', show(event)]];
      open = undefined;
      items += 1;
    } else if (at(event, 'item_id') !== undefined && at(event, 'item_id') !== open) {
      return [['item_id of the item that is open', show(event)]];
    }
  }
  return items > 0 && open === undefined ? [] : [['at least one item, and none left open', show(events.length)]];
}

function expectUsage(response: unknown, seen: string): void {
  const counts = ['input_tokens', 'output_tokens', 'total_tokens'].map((name) => at(response, 'usage', name));
  expectThat(counts.every(isCount), 'usage with input_tokens, output_tokens and total_tokens', seen);
}

async function streamed(context: Context) {
  const reply = await sendInput(context, { stream: true });
  expectThat(reply.status === 200, '200 with an event stream', describe(reply));
  expectThat(reply.mediaType === 'text/event-stream', 'Content-Type: text/event-stream', describe(reply));
  const events = eventsOf(reply.text).filter((event) => event !== '[DONE]');
  return { reply, events: events.map(parsed) };
}

/** Sends a request to a model that the catalog lists for this surface. */
async function sendInput(context: Context, fields: Fields): Promise<ReceivedReply> {
  const native = context.catalog.on(responsesTag);
  const model = context.candidates.find((id) => native.includes(id)) ?? native[0];
  if (model === undefined) skip('the catalog lists no model for this surface');
  const reply = await post(context, bearer(context), { model, ...fields });
  return isUpstreamRejection(reply) ? skip(`the upstream rejected it: ${describe(reply)}`) : reply;
}

async function post(
  context: Context,
  headers: Readonly<Record<string, string>>,
  fields: Fields,
): Promise<ReceivedReply> {
  const body = { model: absentModel, input: 'Say hello.', max_output_tokens: 64, ...fields };
  const common = { 'content-type': 'application/json' };
  const reply = await context.send({ method: 'POST', path, headers: { ...common, ...headers }, body });
  return reply.status === 404 ? skip(`this deployment has no ${path}`) : reply;
}

function bearer({ key }: Context): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}
