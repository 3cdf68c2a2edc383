import { check, group } from '../check.ts';
import { absentModel, chatPath, type Context, unlistedField } from '../context.ts';
import { at, isText, parsed } from '../json.ts';
import { expectThat, skip } from '../outcome.ts';
import { expectEnvelope, expectError, isUpstreamRejection } from '../refusal.ts';
import { describe, show } from '../wording.ts';

export const errors = group('errors', 'Errors', [
  check('absent-model', 'A model that is not in the catalog gives 403 access_denied', async ({ post }) => {
    for (const model of [absentModel, '__proto__', 'constructor', '../models', 'x'.repeat(300)]) {
      expectError(await post({ model }), 403, 'access_denied', 'gateway_error');
    }
  }),
  check('chinese', 'The error for an unknown model is in Chinese', async ({ post }) => {
    const message = at(parsed((await post({ model: absentModel })).text), 'error', 'message');
    expectThat(/\p{Script=Han}/u.test(String(message)), 'error.message in Chinese', show(message));
  }),
  unparseable('malformed-json', 'A body that is not JSON gives 400 with an empty code', [
    '{"model":',
    "{'model':'x'}",
    '{"model":"x",}',
    'not json',
    '',
  ]),
  check(
    'content-type',
    'A Content-Type other than JSON gives 400 with an empty code',
    async ({ send, key, chatBody }) => {
      const authorization = `Bearer ${key}`;
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        const headers = { authorization, 'content-type': type };
        const reply = await send({ method: 'POST', path: chatPath, headers, body: chatBody({}) });
        expectError(reply, 400, '', 'gateway_error');
      }
      const reply = await send({ method: 'POST', path: chatPath, headers: { authorization }, body: chatBody({}) });
      expectError(reply, 400, '', 'gateway_error');
    },
  ),
  check(
    'content-type-parameters',
    'A JSON Content-Type is accepted in any case and with a charset',
    async (context) => {
      const headers = { authorization: `Bearer ${context.key}`, 'content-type': 'Application/JSON; charset=UTF-8' };
      const body = { ...context.chatBody({}), model: absentModel };
      const reply = await context.send({ method: 'POST', path: chatPath, headers, body });
      expectError(reply, 403, 'access_denied', 'gateway_error');
    },
  ),
  check(
    'upstream-refusal',
    'A rejection by the upstream has a code, an empty param and a general text',
    async (context) => {
      const reply = await upstreamRefusal(context);
      const error = at(parsed(reply.text), 'error');
      expectThat(isText(at(error, 'code')), 'a code that is not empty', describe(reply));
      expectThat(at(error, 'param') === '', 'param ""', show(at(error, 'param')));
      expectEnvelope(reply);
    },
  ),
]);

function unparseable(slug: string, title: string, bodies: readonly string[]) {
  return check(slug, title, async ({ send, key }: Context) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    for (const body of bodies) {
      expectError(await send({ method: 'POST', path: chatPath, headers, body }), 400, '', 'gateway_error');
    }
  });
}

/** Sends fields that some providers reject. It depends on the upstream of the model whether any is rejected. */
async function upstreamRefusal({ post }: Context) {
  const user = { role: 'user', content: 'Say hello.' };
  for (const fields of [
    { messages: [user, { role: 'assistant', content: 'Hel', prefix: true, reasoning_content: 'A greeting.' }] },
    unlistedField,
  ]) {
    const reply = await post(fields);
    if (isUpstreamRejection(reply)) return reply;
  }
  return skip('the upstream of this model rejected none of the tested fields');
}
