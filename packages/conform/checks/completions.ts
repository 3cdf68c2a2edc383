import { check, group } from '../check.ts';
import { type ChatStream, chatStream, choicesOf, terminator, usageOf } from '../chat-stream.ts';
import type { Context, Fields } from '../context.ts';
import { at, isCount, isText, listAt } from '../json.ts';
import { expectThat, skip } from '../outcome.ts';
import { expectError, expectRejected, isUpstreamRejection } from '../refusal.ts';
import { describe, show } from '../wording.ts';

const path = '/v1/completions';

export const completions = group('completions', 'POST /v1/completions', [
  check('stream', 'The legacy endpoint also answers with a stream, for any value of stream', async (context) => {
    for (const fields of [{ stream: true }, { stream: false }, {}]) {
      const { reply } = await completed(context, fields);
      expectThat(reply.mediaType === 'text/event-stream', 'Content-Type: text/event-stream', describe(reply));
    }
  }),
  check('chunk', 'Every chunk is a text_completion whose choices have text', async (context) => {
    const stream = await completed(context, { stream: true });
    for (const chunk of stream.chunks) {
      expectThat(at(chunk, 'object') === 'text_completion', 'object "text_completion"', show(chunk));
      const invalid = listAt(chunk, 'choices').find((choice) => typeof at(choice, 'text') !== 'string');
      expectThat(invalid === undefined, 'text to be a string', show(invalid));
    }
    const reason = choicesOf(stream).map((choice) => at(choice, 'finish_reason'));
    expectThat(isText(reason.at(-1)), 'finish_reason on the last choice', show(reason));
  }),
  check('usage', 'A chunk without choices has the usage', async (context) => {
    const stream = await completed(context, { stream: true });
    const { total_tokens } = usageOf(stream);
    const bare = at(stream.chunks.at(-1), 'choices');
    expectThat(isCount(total_tokens), 'total_tokens to be an integer', show(usageOf(stream)));
    expectThat(Array.isArray(bare) && bare.length === 0, 'empty choices on the last chunk', show(stream.chunks.at(-1)));
  }),
  check('done', 'The stream ends with [DONE]', async (context) => {
    const last = (await completed(context, { stream: true })).events.at(-1);
    expectThat(last === terminator, '[DONE] as the last event', show(last));
  }),
  check('prompt', 'A request without a prompt is rejected', async (context) => {
    const reply = await post(context, { prompt: undefined });
    expectRejected(reply, { prompt: undefined });
  }),
  check('key', 'A request without a key is rejected with 401', async ({ send }) => {
    const headers = { 'content-type': 'application/json' };
    const reply = await send({ method: 'POST', path, headers, body: { prompt: 'Once' } });
    if (reply.status === 404) skip(absent);
    expectError(reply, 401, 'invalid_api_key', 'authentication_error');
  }),
]);

const absent = 'this deployment has no legacy completions endpoint';

async function completed(context: Context, fields: Fields): Promise<ChatStream> {
  const reply = await post(context, fields);
  if (isUpstreamRejection(reply)) skip(`the upstream rejected it: ${describe(reply)}`);
  return chatStream(reply);
}

async function post(context: Context, fields: Fields) {
  const { model } = context.chatBody({});
  const body = { model, prompt: 'Once upon a time', max_tokens: 16, ...fields };
  const reply = await context.send({ method: 'POST', path, body });
  if (reply.status === 404) skip(absent);
  return reply;
}
