import { chatStreamDecoder } from 'chat-formats/chat-completions/answer/decode-stream.ts';
import { chatStreamEncoder } from 'chat-formats/chat-completions/answer/encode-stream.ts';
import { eventDataDecoder } from 'chat-formats/event-stream-decoder.ts';
import { utf8Reader } from '../../src/serving/upstreams/answer/utf8.ts';
import { closingFrames, contentFrame } from '../answer-bytes.ts';
import { chunksPerAnswer } from '../workload.ts';
import type { Micro } from './measure.ts';

const frames = Array.from({ length: chunksPerAnswer }, (_, position) => contentFrame('one-write', position));
const answer = Buffer.from(frames.join('') + closingFrames('one-write'));
const providerPart = '"id":"chatcmpl-benchmark-000001"';
const ownPart = '"id":"chatcmpl-20260101000000abcdef"';
const encoding = { id: 'chatcmpl-1', created: 1, model: 'one-write', logprobs: false, usageSource: 'fake' };

const decode = () => {
  const decoder = eventDataDecoder(chatStreamDecoder({ newId: () => 'id' }));
  return [...decoder.push(utf8Reader().push(answer)), ...decoder.end()];
};
const events = decode();
const texts = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []));

/** One answer of twenty chunks that arrive in one read. */
export const answerMicros: readonly Micro[] = [
  {
    name: 'decode an answer',
    floorName: 'its bytes as text, the provider’s id replaced',
    work: decode,
    floor: () => answer.toString('latin1').replaceAll(providerPart, ownPart),
  },
  {
    name: 'encode an answer',
    floorName: 'each text as JSON between two fixed strings',
    work: () => {
      const encoder = chatStreamEncoder(encoding);
      return encoder.encode(events) + encoder.done();
    },
    floor: () => {
      let out = '';
      for (const text of texts) out += `data: {"choices":[{"delta":{"content":${JSON.stringify(text)}}}]}\n\n`;
      return out;
    },
  },
];
