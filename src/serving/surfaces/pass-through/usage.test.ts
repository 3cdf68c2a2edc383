import { expect, test } from 'vitest';
import { StreamedUsage } from './usage.ts';

const stream = [
  'event: image_generation.partial_image\ndata: {"type":"image_generation.partial_image","b64_json":"AAAA"}\n\n',
  'event: image_generation.completed\ndata: {"type": "image_generation.completed","b64_json":"BBBB",',
  '"usage":{"input_tokens":7,"output_tokens":40,"input_tokens_details":{"text_tokens":7}}}\n\n',
  'data: {"type":"transcript.text.done","usage":{"type":"duration","seconds":3.5}}\n\n',
].join('');

test('usage in events is read in any split of the stream', () => {
  for (let cut = 0; cut <= stream.length; cut++) {
    const usage = new StreamedUsage();
    usage.measure(stream.slice(0, cut));
    usage.measure(stream.slice(cut));
    expect(usage).toMatchObject({ promptTokens: 7, completionTokens: 40, seconds: 3.5, images: 1 });
  }
  const bytewise = new StreamedUsage();
  for (const byte of stream) bytewise.measure(byte);
  expect(bytewise).toMatchObject({ promptTokens: 7, completionTokens: 40, seconds: 3.5, images: 1 });
});

test('audio bytes report no usage', () => {
  const usage = new StreamedUsage();
  usage.measure('\u0000ÿó"usage"{'.repeat(1000));
  expect(usage).toMatchObject({ promptTokens: undefined, completionTokens: undefined, images: 0 });
});
