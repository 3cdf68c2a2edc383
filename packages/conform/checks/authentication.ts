import { check, group } from '../check.ts';
import type { ReceivedReply } from '../client.ts';
import { absentModel, chatPath, type Context } from '../context.ts';
import { expectThat } from '../outcome.ts';
import { expectError } from '../refusal.ts';
import { describe } from '../wording.ts';

type Headers = Readonly<Record<string, string>>;

export const authentication = group('authentication', 'Keys on the chat-completions surface', [
  check('accepted', 'A valid key is accepted as a bearer token', async ({ catalog: { reply } }) => {
    expectThat(reply.status === 200, '200 from GET /v1/models', describe(reply));
  }),
  rejected('missing', 'A request without a key is rejected', () => ({})),
  rejected('empty', 'An empty bearer token is rejected', () => ({ authorization: 'Bearer ' })),
  rejected('no-scheme', 'A key without the word Bearer is rejected', (key) => ({ authorization: key })),
  rejected('wrong-scheme', 'A key under another scheme is rejected', (key) => ({ authorization: `Basic ${key}` })),
  rejected('malformed', 'A key with trailing text is rejected', (key) => ({ authorization: `Bearer ${key}~ ${key}` })),
  rejected('unknown', 'A key that was never issued is rejected', (key) => ({
    authorization: `Bearer ${altered(key)}`,
  })),
  rejected('other-surface', 'A key in the header of the messages surface is rejected', (key) => ({ 'x-api-key': key })),
  check('query', 'A key in the query string is rejected with 401 invalid_api_key', async ({ send, key }) => {
    const path = `/v1/models?api_key=${encodeURIComponent(key)}&key=${encodeURIComponent(key)}`;
    expectUnauthorized(await send({ method: 'GET', path, headers: {} }));
  }),
]);

function rejected(slug: string, title: string, headersFor: (key: string) => Headers) {
  return check(slug, `${title} with 401 invalid_api_key`, async ({ send, key }: Context) => {
    const headers = headersFor(key);
    expectUnauthorized(await send({ method: 'GET', path: '/v1/models', headers }));
    const json = { ...headers, 'content-type': 'application/json' };
    const body = { model: absentModel, messages: [{ role: 'user', content: 'Hello.' }] };
    expectUnauthorized(await send({ method: 'POST', path: chatPath, headers: json, body }));
  });
}

function expectUnauthorized(reply: ReceivedReply): void {
  expectError(reply, 401, 'invalid_api_key', 'authentication_error');
}

/** A key in the right format that was never issued: other final characters, or one more. */
function altered(key: string): string {
  const other = key.replace(/[0-9A-Za-z]{1,6}$/, (tail) =>
    tail.replace(/./g, (letter) => (letter === '0' ? '1' : '0')),
  );
  return other === key ? `${key}0` : other;
}
