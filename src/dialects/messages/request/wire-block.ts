import type { CacheLife } from '../../../core/chat/message.ts';
import { type CacheControl, cacheControl } from '../../cache-control.ts';

/** A block for the provider. */
export interface WireBlock {
  readonly type?: string;
  readonly content?: readonly WireBlock[] | undefined;
  cache_control?: CacheControl | undefined;
  readonly [field: string]: unknown;
}

/** Providers reject a request with more markers than this. */
const marksMax = 4;

export function mark(cache: CacheLife | undefined): Pick<WireBlock, 'cache_control'> {
  return cache === undefined ? {} : { cache_control: cacheControl(cache) };
}

/** Removes the first cache markers until the limit is met: the last ones cover the longest prompts. */
export function limitMarks(blocks: readonly WireBlock[]): void {
  const marked = withInner(blocks).filter((block) => block.cache_control !== undefined);
  for (const block of marked.slice(0, Math.max(0, marked.length - marksMax))) delete block.cache_control;
}

function withInner(blocks: readonly WireBlock[]): readonly WireBlock[] {
  return blocks.flatMap((block) => [...(block.content ?? []), block]);
}
