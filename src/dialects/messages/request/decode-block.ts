import type { AssistantPart, MediaSource, TextPart, UserPart } from '../../../core/chat/message.ts';
import { isObject, listOf, objectOf, type WireObject, nonEmptyString } from '../../wire-value.ts';
import { cacheOf } from '../../cache-control.ts';

/** Decodes a block of a user message or a tool result. Returns `undefined` if core has no such part. */
export function decodeUserBlock(block: WireObject): UserPart | undefined {
  switch (block.type) {
    case 'text':
      return decodeText(block);
    case 'image':
      return media('image', block);
    case 'document':
      return media('document', block);
    case 'tool_reference':
      // The model gets every tool from the start, so a tool found later only needs its name.
      return {
        type: 'text',
        text: `The tool ${nonEmptyString(block.tool_name) ?? ''} can be used now.`,
        ...cacheOf(block),
      };
    default:
      return undefined;
  }
}

/** Decodes a block of an assistant message. Returns `undefined` if core has no such part. */
export function decodeAssistantBlock(block: WireObject): AssistantPart | undefined {
  switch (block.type) {
    case 'text':
      return decodeText(block);
    case 'thinking': {
      const signature = nonEmptyString(block.signature);
      return { type: 'reasoning', text: stringOf(block.thinking), ...(signature !== undefined && { signature }) };
    }
    case 'redacted_thinking':
      return { type: 'redacted-reasoning', data: stringOf(block.data) };
    case 'tool_use': {
      const { id, name, input } = block;
      const text = JSON.stringify(input ?? {});
      return { type: 'tool-call', id: stringOf(id), name: stringOf(name), arguments: text, ...cacheOf(block) };
    }
    default:
      return undefined;
  }
}

export function decodeText(block: WireObject): TextPart {
  return { type: 'text', text: stringOf(block.text), ...cacheOf(block) };
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function media(type: 'image' | 'document', block: WireObject): UserPart | undefined {
  const source = decodeSource(objectOf(block.source) ?? {});
  const title = nonEmptyString(block.title);
  return source && { type, source, ...(title !== undefined && { title }), ...cacheOf(block) };
}

/** The source of the media. `undefined` for a file stored at one provider, which no other can open. */
function decodeSource(source: WireObject): MediaSource | undefined {
  switch (source.type) {
    case 'base64':
      return { mediaType: stringOf(source.media_type), data: stringOf(source.data) };
    case 'url':
      return { url: stringOf(source.url) };
    case 'text':
      return { text: stringOf(source.data) };
    case 'content':
      return { text: contentText(source.content) };
    default:
      return undefined;
  }
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .filter(isObject)
    .map((block) => stringOf(block.text))
    .join('\n');
}
