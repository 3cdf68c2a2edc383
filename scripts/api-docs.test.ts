import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { publicEndpoints } from '../src/serving/surfaces/openapi/endpoints.ts';
import { apiDocs, apiDocsFile } from './api-docs.ts';

test('docs/api.md matches the description of the API', () => {
  expect(readFileSync(apiDocsFile, 'utf8'), 'run: node scripts/api-docs.ts').toBe(apiDocs());
});

test('the page has a section for each endpoint, with each field of its request', () => {
  const [, ...sections] = readFileSync(apiDocsFile, 'utf8').split(/^(?=## `)/m);
  expect(sections).toHaveLength(publicEndpoints.length);
  const chat = sections.find((section) => section.startsWith('## `POST /v1/chat/completions`'));
  for (const name of ['messages', 'tool_choice', 'response_format', 'top_logprobs'])
    expect(chat).toContain(`\n| \`${name}\` | `);
});
