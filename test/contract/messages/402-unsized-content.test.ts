import { afterAll, beforeAll, expect, test } from 'vitest';
import { answer } from '../../fakes/fake-provider.ts';
import { model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    // A full prompt costs 0.2, more than the balance of the account.
    models: [model('windowed', { context_window: 200_000, max_output_tokens: 100 })],
    accounts: [
      { name: 'tester', package: 'standard', credit: '100.00' },
      { name: 'poor', package: 'standard', credit: '0.15' },
    ],
  }));
  key = await gateway.newKey({ account: 'poor' });
  gateway.provider.respond('windowed', answer('Read.'));
});
afterAll(() => gateway.stop());

const document = (source: object) => ({ type: 'document', source });
const result = (...content: object[]) => ({ type: 'tool_result', tool_use_id: 'a', content });
const pdf = 'JVBERi0xLjQK';

test.each([
  ['a document at an address', document({ type: 'url', url: 'https://papers.example/long.pdf' })],
  ['a document in the body', document({ type: 'base64', media_type: 'application/pdf', data: pdf })],
  ['a picture that is neither in the body nor at an address', { type: 'image', source: { type: 'other' } }],
  ['a document in the result of a tool', result(document({ type: 'url', url: 'https://papers.example/long.pdf' }))],
  ['an unknown block', { type: 'film', seconds: 60 }],
])('%s may fill the context window, so the hold covers a full prompt', async (_label, block) => {
  const body = { model: 'windowed', max_tokens: 10, messages: [{ role: 'user', content: [block] }] };
  const reply = await gateway.post('/anthropic/v1/messages', body, { 'x-api-key': key });
  expect(reply.status).toBe(402);
});

test.each([
  ['a document in the body', { type: 'file', file: { file_data: `data:application/pdf;base64,${pdf}` } }],
  ['a film at an address', { type: 'video_url', video_url: { url: 'https://films.example/long.mp4' } }],
])('%s may fill the context window on the chat surface too', async (_label, part) => {
  const messages = [{ role: 'user', content: [part] }];
  const reply = await gateway.chat({ model: 'windowed', messages }, { authorization: `Bearer ${key}` });
  expect(reply.status).toBe(402);
});

test.each([
  ['a text', { type: 'text', text: 'Hello' }],
  ['a picture', { type: 'image_url', image_url: { url: 'https://pictures.example/cat.png' } }],
  ['a sound', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }],
  ['a plain document', { type: 'file', file: { file_data: 'data:text/plain;base64,SGVsbG8=' } }],
])('the hold for %s is below that for a full prompt', async (_label, part) => {
  const messages = [{ role: 'user', content: [part] }];
  const reply = await gateway.chat({ model: 'windowed', messages }, { authorization: `Bearer ${key}` });
  expect(reply.status).toBe(200);
});

test('the hold for a text is at most that for a full context window', async () => {
  const messages = [{ role: 'user', content: 'a'.repeat(1_000_000) }];
  const rich = await gateway.chat({ model: 'windowed', messages });
  expect(rich.status).toBe(200);
  const poor = await gateway.chat({ model: 'windowed', messages }, { authorization: `Bearer ${key}` });
  expect(poor.status).toBe(402);
});
