import { expect, test } from 'vitest';
import { unreportedUsage } from '../../chat/usage.ts';
import { addCost, addCostToFrames, hideProviderCost, hideProviderCostInFrames } from './edit-answer.ts';

const usage = { ...unreportedUsage, promptTokens: 3, completionTokens: 2, source: 'upstream', cost: '0.10' } as const;

test.each([
  [
    '{"a":1.0, "usage" : { "output_tokens":2 } ,"b":"\\u00fc"}',
    '{"a":1.0, "usage" : { "output_tokens":2 ,"cost":"0.10"} ,"b":"\\u00fc"}',
  ],
  ['{"usage":{}}', '{"usage":{"cost":"0.10"}}'],
  ['{"usage":{"cost":0.5,"n":1}}', '{"usage":{"cost":"0.10","n":1}}'],
])('the usage of %s gets the charge, and nothing else changes', (before, after) => {
  expect(addCost(before, usage)).toBe(after);
});

test.each(['{"type":"message"}', '{"type":"message","usage":null}'])('%s gets the whole usage', (before) => {
  expect(JSON.parse(addCost(before, usage))).toMatchObject({
    type: 'message',
    usage: { input_tokens: 3, output_tokens: 2, cost: '0.10' },
  });
});

test('without a reported cost, the text stays as it is', () => {
  expect(addCost('{"usage":{}}', { ...usage, cost: undefined })).toBe('{"usage":{}}');
});

test('of several message_delta events, the last one gets the charge', () => {
  const frame = (output: number, more = '') =>
    `event: message_delta\r\ndata: {"type":"message_delta","usage":{"output_tokens":${output}${more}}}\r\n\r\n`;
  const stop = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';
  expect(addCostToFrames(frame(1) + frame(2) + stop, usage)).toBe(frame(1) + frame(2, ',"cost":"0.10"') + stop);
  expect(addCostToFrames(stop, usage)).toBe(stop);
});

test('the provider’s own charge is removed, and nothing else changes', () => {
  const usage = '{"output_tokens":2,"cost":0.5,"cost_details":{"upstream":0.5},"is_byok":false}';
  const left = '{"output_tokens":2}';
  expect(hideProviderCost(`{"content":[{"text":"\\"cost\\""}], "usage":${usage}}`)).toBe(
    `{"content":[{"text":"\\"cost\\""}], "usage":${left}}`,
  );
  const frames = (used: string) =>
    `event: message_start\ndata: {"type":"message_start","message":{"id":"m", "usage":${used}}}\n\n` +
    'data: {"type":"content_block_delta","delta":{"text":"{\\"cost\\":1}","usage":{"cost":1}}}\n\n' +
    `data: {"type":"message_delta","usage":${used}}\r\n\r\n`;
  expect(hideProviderCostInFrames(frames(usage))).toBe(frames(left));
  expect(hideProviderCostInFrames(frames('null'))).toBe(frames('null'));
});
