import { messagesTag } from '../catalog.ts';
import { check, group } from '../check.ts';
import type { ReceivedReply } from '../client.ts';
import { absentModel, type Context, type Fields } from '../context.ts';
import { eventsOf } from '../event-stream.ts';
import { at, isCount, parsed } from '../json.ts';
import { expectThat, skip } from '../outcome.ts';
import { expectError, isUpstreamRejection } from '../refusal.ts';
import { describe, show } from '../wording.ts';

export const messagesSurface = group('messages-surface', 'The messages surface', [
  check('missing', 'A request without a key is rejected with 401', async (context) => {
    expectUnauthorized(await post(context, {}, {}));
  }),
  check('unknown', 'A key that was never issued is rejected with 401', async (context) => {
    expectUnauthorized(await post(context, { 'x-api-key': 'no-such-key' }, {}));
  }),
  check(
    'other-surface',
    'A key in the header of the chat-completions surface is rejected with 401',
    async (context) => {
      expectUnauthorized(await post(context, { authorization: `Bearer ${context.key}` }, {}));
    },
  ),
  check('same-key', 'The same key is accepted, and an unknown model gives 403', async (context) => {
    const reply = await post(context, { 'x-api-key': context.key }, { model: absentModel });
    expectError(reply, 403, 'access_denied', 'gateway_error');
  }),
  check('message', 'A model of this surface answers with a message', async (context) => {
    const reply = await sendMessage(context, {});
    const message = parsed(reply.text);
    const isValid = reply.status === 200 && at(message, 'type') === 'message' && at(message, 'role') === 'assistant';
    expectThat(isValid, '200 with an assistant message', describe(reply));
    expectThat(Array.isArray(at(message, 'content')), 'content to be a list of blocks', describe(reply));
    expectThat(isCount(at(message, 'usage', 'output_tokens')), 'usage.output_tokens to be an integer', describe(reply));
  }),
  check('stream', 'With stream: true the message is streamed from message_start to message_stop', async (context) => {
    const reply = await sendMessage(context, { stream: true });
    expectThat(reply.status === 200, '200 with an event stream', describe(reply));
    expectThat(reply.mediaType === 'text/event-stream', 'Content-Type: text/event-stream', describe(reply));
    const types = eventsOf(reply.text).map((event) => at(parsed(event), 'type'));
    const isComplete = types.find((type) => type !== 'ping') === 'message_start' && types.at(-1) === 'message_stop';
    expectThat(isComplete, 'message_start first and message_stop last', show(types));
  }),
]);

/** Sends a request to a model that the catalog lists for this surface. */
async function sendMessage(context: Context, fields: Fields): Promise<ReceivedReply> {
  const native = context.catalog.on(messagesTag);
  const model = context.candidates.find((id) => native.includes(id)) ?? native[0];
  if (model === undefined) skip('the catalog lists no model for this surface');
  const reply = await post(context, { 'x-api-key': context.key }, { model, ...fields });
  return isUpstreamRejection(reply) ? skip(`the upstream rejected it: ${describe(reply)}`) : reply;
}

async function post(
  context: Context,
  headers: Readonly<Record<string, string>>,
  fields: Fields,
): Promise<ReceivedReply> {
  const path = `${context.messagesPrefix}/v1/messages`;
  const body = { model: absentModel, max_tokens: 64, messages: [{ role: 'user', content: 'Say hello.' }], ...fields };
  const common = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };
  const reply = await context.send({ method: 'POST', path, headers: { ...common, ...headers }, body });
  return reply.status === 404 ? skip(`this deployment has no ${path}`) : reply;
}

function expectUnauthorized(reply: ReceivedReply): void {
  expectError(reply, 401, 'invalid_api_key', 'authentication_error');
}
