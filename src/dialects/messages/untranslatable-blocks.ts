import type { FieldPath } from '../invalid-request.ts';
import { isObject, listOf, objectOf, type WireObject, wordOf } from '../wire-value.ts';

/** Where a block asks for what the core has no word for, or is one no other format knows. */
export function* untranslatableInBlock(role: unknown, block: WireObject, path: FieldPath): Generator<FieldPath> {
  switch (block.type) {
    case 'text':
      return;
    case 'thinking':
    case 'redacted_thinking':
    case 'tool_use':
      if (role === 'assistant') return;
      break;
    case 'image':
    case 'document':
      if (role === 'user' || role === 'tool_result') return yield* inMedia(block, path);
      break;
    case 'tool_reference':
      if (role === 'tool_result') return;
      break;
    case 'tool_result':
      if (role === 'user') return yield* inResult(block, path);
      break;
  }
  yield path;
}

function* inResult(block: WireObject, path: FieldPath): Generator<FieldPath> {
  for (const [at, inner] of listOf(block.content).entries()) {
    if (isObject(inner)) yield* untranslatableInBlock(block.type, inner, [...path, 'content', at]);
  }
}

function* inMedia(block: WireObject, path: FieldPath): Generator<FieldPath> {
  const source = objectOf(block.source) ?? {};
  yield* inSource(source, block.type === 'document', [...path, 'source']);
  // Citations come back in the answer, where no other format has a place for them.
  if (objectOf(block.citations)?.enabled === true) yield [...path, 'citations'];
  if (wordOf(block.context) !== undefined) yield [...path, 'context'];
}

function* inSource(source: WireObject, isDocument: boolean, path: FieldPath): Generator<FieldPath> {
  switch (source.type) {
    case 'base64':
      if (typeof source.media_type === 'string' && typeof source.data === 'string') return;
      break;
    case 'url':
      if (typeof source.url === 'string') return;
      break;
    case 'text':
      if (isDocument && typeof source.data === 'string') return;
      break;
    case 'content':
      if (isDocument) return yield* inContentSource(source, path);
      break;
  }
  yield path;
}

function* inContentSource(source: WireObject, path: FieldPath): Generator<FieldPath> {
  for (const [at, block] of listOf(source.content).entries()) {
    const isText = isObject(block) && block.type === 'text' && typeof block.text === 'string';
    if (!isText) yield [...path, 'content', at];
  }
}
