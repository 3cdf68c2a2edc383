import { awsEventStream, awsException } from '../bridged/aws-event-stream.ts';
import { bedrockRecordings } from '../bridged/bedrock.ts';
import { bridgedKind } from './bridged-kind.ts';
import { type Counts, nothing, type ProviderKind, type ProviderError } from './provider-kind.ts';

const exceptions: Readonly<Record<ProviderError, string>> = {
  overloaded: 'serviceUnavailableException',
  invalid: 'validationException',
};

function usageOf({ prompt, completion, cached }: Counts): object {
  return {
    inputTokens: prompt,
    outputTokens: completion,
    ...(cached !== undefined && { cacheReadInputTokens: cached }),
  };
}

function withoutItsChecksum(frame: Buffer): Buffer {
  const broken = Buffer.from(frame);
  broken.writeUInt32BE(0, broken.length - 4);
  return broken;
}

/** Amazon Bedrock, with binary frames: lengths and checksums around JSON. */
export const bedrockKind: ProviderKind = {
  ...bridgedKind(bedrockRecordings),
  answer: (words, counts) => ({
    begin: awsEventStream([['messageStart', { role: 'assistant' }]]),
    words: words.map((text) => awsEventStream([['contentBlockDelta', { contentBlockIndex: 0, delta: { text } }]])),
    finish: awsEventStream([
      ['contentBlockStop', { contentBlockIndex: 0 }],
      ['messageStop', { stopReason: 'end_turn' }],
      ...(counts ? ([['metadata', { usage: usageOf(counts), metrics: { latencyMs: 1 } }]] as const) : []),
    ]),
    end: nothing,
  }),
  fail: (error, message = 'No.') => awsException(exceptions[error], { message }),
  malformedEvent: withoutItsChecksum(
    awsEventStream([['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'x' } }]]),
  ),
};
