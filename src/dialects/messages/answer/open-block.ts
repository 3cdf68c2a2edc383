import { objectOf, parsedJson } from '../../wire-value.ts';

/** The index of the block that is open after a provider's frames, if there is one. */
export function openBlock(frames: string): number | undefined {
  const last = [...frames.matchAll(dataLine)].findLast(([, data = '']) => data.includes('content_block_'));
  const { type, index } = objectOf(parsedJson(last?.[1] ?? '')) ?? {};
  return type === 'content_block_stop' || typeof index !== 'number' ? undefined : index;
}

/** Only CR and LF end a line of an event stream. JSON may contain other line separators. */
const dataLine = /(?:^|[\r\n])data: ?([^\r\n]*)/g;
