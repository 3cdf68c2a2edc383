import { readFileSync } from 'node:fs';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';

let gateway: TestGateway;
let openai: OpenAI;
let anthropic: Anthropic;
beforeAll(async () => {
  gateway = await startTestGateway();
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
  const baseURL = `${gateway.url}/anthropic`;
  anthropic = new Anthropic({ baseURL, apiKey: gateway.key, authToken: null, maxRetries: 0 });
});
afterAll(() => gateway.stop());

const page = readFileSync(new URL('../../docs/clients/sdk-methods.md', import.meta.url), 'utf8');
const message = { role: 'user', content: 'hello' } as const;
const absent = 'absent';
const file = () => toFile(Buffer.from('{}'), 'x.jsonl');
const batch = { input_file_id: absent, endpoint: '/v1/chat/completions', completion_window: '24h' } as const;

/** The model is unknown, so the endpoints refuse the requests: only the path counts. */
const methods: Readonly<Record<string, () => PromiseLike<unknown>>> = {
  'chat.completions: create': () => openai.chat.completions.create({ model: absent, messages: [message] }),
  'completions: create': () => openai.completions.create({ model: absent, prompt: 'x' }),
  'responses: create': () => openai.responses.create({ model: absent, input: 'x' }),
  'responses: retrieve': () => openai.responses.retrieve(absent),
  'responses: delete': () => openai.responses.delete(absent),
  'responses: cancel': () => openai.responses.cancel(absent),
  'responses: compact': () => openai.responses.compact({ model: absent, input: 'x' }),
  'responses: inputItems.list': () => openai.responses.inputItems.list(absent),
  'responses: inputTokens.count': () => openai.responses.inputTokens.count({ model: absent, input: 'x' }),
  'models: list': () => openai.models.list(),
  'models: retrieve': () => openai.models.retrieve(absent),
  'embeddings: create': () => openai.embeddings.create({ model: absent, input: 'x' }),
  'moderations: create': () => openai.moderations.create({ model: absent, input: 'x' }),
  'images: generate': () => openai.images.generate({ model: absent, prompt: 'x' }),
  'audio: speech.create': () => openai.audio.speech.create({ model: absent, input: 'x', voice: 'alloy' }),
  'audio: transcriptions.create': async () => openai.audio.transcriptions.create({ model: absent, file: await file() }),
  'files: create': async () => openai.files.create({ file: await file(), purpose: 'batch' }),
  'files: list': () => openai.files.list(),
  'files: retrieve': () => openai.files.retrieve(absent),
  'files: content': () => openai.files.content(absent),
  'files: delete': () => openai.files.delete(absent),
  'batches: create': () => openai.batches.create(batch),
  'batches: list': () => openai.batches.list(),
  'batches: retrieve': () => openai.batches.retrieve(absent),
  'batches: cancel': () => openai.batches.cancel(absent),
  'messages: create': () => anthropic.messages.create({ model: absent, max_tokens: 9, messages: [message] }),
  'messages: countTokens': () => anthropic.messages.countTokens({ model: absent, messages: [message] }),
  'messages.batches: create': () => anthropic.messages.batches.create({ requests: [] }),
  'messages.batches: list': () => anthropic.messages.batches.list(),
  'messages.batches: retrieve': () => anthropic.messages.batches.retrieve(absent),
  'messages.batches: cancel': () => anthropic.messages.batches.cancel(absent),
  'messages.batches: delete': () => anthropic.messages.batches.delete(absent),
  'messages.batches: results': () => anthropic.messages.batches.results(absent),
};

const lacking: Readonly<Record<string, () => PromiseLike<unknown>>> = {
  'chat.completions.retrieve': () => openai.chat.completions.retrieve(absent),
  'images.edit': async () => openai.images.edit({ image: await file(), prompt: 'x' }),
  'audio.translations': async () => openai.audio.translations.create({ model: 'whisper-1', file: await file() }),
  conversations: () => openai.conversations.create({}),
  vectorStores: () => openai.vectorStores.files.list(absent),
  containers: () => openai.containers.files.list(absent),
  uploads: () => openai.uploads.cancel(absent),
  fineTuning: () => openai.fineTuning.jobs.list(),
  evals: () => openai.evals.list(),
  videos: () => openai.videos.list(),
  'beta.files': () => anthropic.beta.files.list(),
};

test.each(Object.entries(methods))('%s is documented and reaches an endpoint', async (name, call) => {
  const [resource, method] = name.split(': ');
  const row = page.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${resource}\``));
  expect(row).toContain(`\`${method}\``);
  const result = await Promise.resolve(call()).catch((error: unknown) => error);
  expect(String(result)).not.toMatch(/no such endpoint|No endpoint/);
});

test.each(Object.entries(lacking))(
  '%s is documented as lacking, and the error lists what exists',
  async (name, call) => {
    expect(page).toContain(`\`${name}\``);
    await expect(call()).rejects.toThrow(/404.*This gateway has no such endpoint\. It has /);
  },
);
