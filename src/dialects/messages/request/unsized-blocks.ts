import { isObject, listOf, objectOf, type WireObject } from '../../wire-value.ts';

/**
 * Whether a body holds blocks whose token count has no bound in their bytes. Images do not count: each has its own
 * bound.
 */
export function hasUnsizedBlocks(body: WireObject): boolean {
  return listOf(body.messages).some((message) => isObject(message) && listOf(message.content).some(isUnsized));
}

function isUnsized(block: unknown): boolean {
  if (!isObject(block)) return false;
  const source = objectOf(block.source) ?? {};
  switch (block.type) {
    case 'image':
      return source.type !== 'base64' && source.type !== 'url';
    case 'document':
      return !isPlainText(source);
    case 'tool_result':
      return listOf(block.content).some(isUnsized);
    default:
      return !completeBlocks.has(block.type);
  }
}

/** A document whose text is in the body. */
function isPlainText(source: WireObject): boolean {
  if (source.type === 'content') {
    return listOf(source.content).every((block) => isObject(block) && block.type === 'text');
  }
  return source.type === 'text' || (source.type === 'base64' && source.media_type === 'text/plain');
}

/** Blocks whose complete content is in the body. */
const completeBlocks: ReadonlySet<unknown> = new Set([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_reference',
  'server_tool_use',
  'search_result',
]);
