import { objectOf, parsedJson } from '../wire-value.ts';

/** The place of the block that is open behind a provider's frames, if one is. */
export function openBlock(frames: string): number | undefined {
  const last = [...frames.matchAll(dataLine)].findLast(([, data = '']) => data.includes('content_block_'));
  const { type, index } = objectOf(parsedJson(last?.[1] ?? '')) ?? {};
  return type === 'content_block_stop' || typeof index !== 'number' ? undefined : index;
}

/** Only these two characters end a line of an event stream; JSON may hold others that end lines elsewhere. */
const dataLine = /(?:^|[\r\n])data: ?([^\r\n]*)/g;
