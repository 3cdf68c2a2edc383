import { unreportedUsage } from 'chat-formats/chat/usage.ts';
import { chatStreamDecoder } from 'chat-formats/chat-completions/answer/decode-stream.ts';
import { chatStreamEncoder } from 'chat-formats/chat-completions/answer/encode-stream.ts';
import { ChatSplice } from '../../src/serving/upstreams/splice/splice.ts';
import { SpliceMemory } from '../../src/serving/upstreams/splice/splice-memory.ts';
import { eventDataDecoder } from 'chat-formats/event-stream-decoder.ts';
import { utf8Reader } from '../../src/serving/upstreams/answer/utf8.ts';
import { closingFrames, contentFrame } from '../answer-bytes.ts';
import { chunksPerAnswer } from '../workload.ts';
import type { Micro } from './measure.ts';

const contents = Array.from({ length: chunksPerAnswer }, (_, position) => contentFrame('one-write', position));
const frames = [...contents, closingFrames('one-write')];
const oneRead = [Buffer.from(frames.join(''))];
const manyReads = frames.map((frame) => Buffer.from(frame));
const providerPart = '"id":"chatcmpl-benchmark-000001"';
const ownPart = '"id":"chatcmpl-20260101000000abcdef"';
const encoding = { id: 'chatcmpl-1', created: 1, model: 'one-write', logprobs: false, usageSource: 'fake' };
const usage = { ...unreportedUsage, promptTokens: 42, completionTokens: 60, source: 'upstream' as const };
const memory = new SpliceMemory();
const newId = () => 'id';

function spliced(reads: readonly Buffer[], maxTokens?: number): string {
  const splice = new ChatSplice({ memory, decoding: { newId }, encoding, maxTokens });
  let out = '';
  for (const read of reads) out = splice.push(read).frames;
  splice.end();
  return out + splice.done(usage);
}

function rebuilt(reads: readonly Buffer[]): string {
  const characters = utf8Reader();
  const decoder = eventDataDecoder(chatStreamDecoder({ newId }));
  const encoder = chatStreamEncoder(encoding);
  let out = '';
  for (const read of reads) out = encoder.encode(decoder.push(characters.push(read)));
  encoder.encode([...decoder.end(), { type: 'usage', usage }]);
  return out + encoder.done();
}

function copied(reads: readonly Buffer[]): string {
  let out = '';
  for (const read of reads) out = read.toString('latin1').replaceAll(providerPart, ownPart);
  return out;
}

/** A provider's answer as the client receives it: by the splice, and by decoder and encoder as on the slow path. */
export const spliceMicros: readonly Micro[] = [
  { name: 'splice an answer', work: spliced, reads: oneRead },
  { name: 'splice an answer chunk by chunk', work: spliced, reads: manyReads },
  { name: 'decode and encode an answer', work: rebuilt, reads: oneRead },
  { name: 'decode and encode an answer chunk by chunk', work: rebuilt, reads: manyReads },
].map(({ name, work, reads }) => ({
  name,
  floorName: 'its bytes as text, the provider’s id replaced',
  work: () => work(reads),
  floor: () => copied(reads),
}));

/** The cost of counting an answer that stays below its cap. */
export const cappedSpliceMicros: readonly Micro[] = [
  { name: 'splice an answer under its cap', reads: oneRead },
  { name: 'splice an answer chunk by chunk under its cap', reads: manyReads },
].map(({ name, reads }) => ({
  name,
  floorName: 'the same without a cap',
  work: () => spliced(reads, 100_000),
  floor: () => spliced(reads),
}));
