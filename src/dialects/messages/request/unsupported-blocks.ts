import type { FieldPath } from '../../invalid-request.ts';
import { isObject, listOf, objectOf, type WireObject, nonEmptyString } from '../../wire-value.ts';

/** The blocks that core supports, by the role or block that contains them. */
const supported: Readonly<Record<string, readonly unknown[]>> = {
  user: ['text', 'image', 'document', 'tool_result'],
  tool_result: ['text', 'image', 'document', 'tool_reference'],
  assistant: ['text', 'thinking', 'redacted_thinking', 'tool_use'],
  system: ['text'],
};

/** The paths in a block that core does not support, or the path of the block if no other format has it. */
export function* unsupportedInBlock(container: string, block: WireObject, path: FieldPath): Generator<FieldPath> {
  if (!supported[container]?.includes(block.type)) yield path;
  else if (block.type === 'tool_result') yield* inResult(block, path);
  else if (block.type === 'image' || block.type === 'document') yield* inMedia(block, path);
}

function* inResult(block: WireObject, path: FieldPath): Generator<FieldPath> {
  for (const [at, inner] of listOf(block.content).entries()) {
    if (isObject(inner)) yield* unsupportedInBlock('tool_result', inner, [...path, 'content', at]);
  }
}

function* inMedia(block: WireObject, path: FieldPath): Generator<FieldPath> {
  const source = objectOf(block.source) ?? {};
  yield* inSource(source, block.type === 'document', [...path, 'source']);
  // The answer would contain citations, which no other format supports.
  if (objectOf(block.citations)?.enabled === true) yield [...path, 'citations'];
  if (nonEmptyString(block.context) !== undefined) yield [...path, 'context'];
}

function* inSource(source: WireObject, isDocument: boolean, path: FieldPath): Generator<FieldPath> {
  if (isDocument && source.type === 'content') yield* inContentSource(source, path);
  else if (!isCompleteSource(source, isDocument)) yield path;
}

function isCompleteSource(source: WireObject, isDocument: boolean): boolean {
  switch (source.type) {
    case 'base64':
      return typeof source.media_type === 'string' && typeof source.data === 'string';
    case 'url':
      return typeof source.url === 'string';
    case 'text':
      return isDocument && typeof source.data === 'string';
    default:
      return false;
  }
}

function* inContentSource(source: WireObject, path: FieldPath): Generator<FieldPath> {
  for (const [at, block] of listOf(source.content).entries()) {
    const isText = isObject(block) && block.type === 'text' && typeof block.text === 'string';
    if (!isText) yield [...path, 'content', at];
  }
}
