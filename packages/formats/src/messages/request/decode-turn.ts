import type { CacheLife, Message, UserPart, AssistantPart, MediaSource, TextPart } from '../../chat/message.ts';
import { stringOf, isObject, listOf, type WireObject, nonEmptyString, objectOf } from '../../wire-value.ts';
import type { WireContent, MessagesWireMessage } from './request-schema.ts';
import { cacheOf } from '../../cache-control.ts';

export function decodeSystem(content: WireContent): Message {
  return { role: 'system', content: blocksOf(content).map(decodeText) };
}

/** A user message with tool results becomes one message for each result, then one for its other blocks. */
export function decodeTurn(message: MessagesWireMessage): readonly Message[] {
  const blocks = blocksOf(message.content);
  switch (message.role) {
    case 'system':
      return [decodeSystem(message.content)];
    case 'assistant':
      return [{ role: 'assistant', content: blocks.flatMap((block) => decodeAssistantBlock(block) ?? []) }];
    case 'user': {
      const results = blocks.filter(isResult);
      const otherBlocks = blocks.filter((block) => !isResult(block));
      const others: Message = { role: 'user', content: otherBlocks.flatMap((block) => decodeUserBlock(block) ?? []) };
      return [...results.map(decodeResult), ...(results.length > 0 && otherBlocks.length === 0 ? [] : [others])];
    }
    default:
      return message.role satisfies never;
  }
}

/** A cache marker on the request applies to the last part that can have one. */
export function markLast(messages: readonly Message[], cache: CacheLife): readonly Message[] {
  const last = messages.at(-1);
  if (!last) return messages;
  return [...messages.slice(0, -1), marked(last, cache)];
}

function blocksOf(content: unknown): readonly WireObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return listOf(content).filter(isObject);
}

function isResult(block: WireObject): boolean {
  return block.type === 'tool_result';
}

function decodeResult(block: WireObject): Message {
  const content: readonly UserPart[] = blocksOf(block.content).flatMap((inner) => decodeUserBlock(inner) ?? []);
  return {
    role: 'tool',
    toolCallId: nonEmptyString(block.tool_use_id) ?? '',
    content,
    isError: block.is_error === true,
    ...cacheOf(block),
  };
}

function marked(message: Message, cache: CacheLife): Message {
  switch (message.role) {
    case 'tool':
      return { cache, ...message };
    case 'system':
    case 'user':
    case 'assistant':
      return { ...message, content: withMark<AssistantPart | UserPart>(message.content, cache) } as Message;
    default:
      return message satisfies never;
  }
}

/** Reasoning cannot have a marker. A marker set by the client stays. */
function withMark<Part extends { readonly type: string }>(parts: readonly Part[], cache: CacheLife): readonly Part[] {
  const at = parts.findLastIndex((part) => part.type !== 'reasoning' && part.type !== 'redacted-reasoning');
  return parts.map((part, index) => (index === at ? { cache, ...part } : part));
}

/** Decodes a block of a user message or a tool result. Returns `undefined` if core has no such part. */
function decodeUserBlock(block: WireObject): UserPart | undefined {
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

function decodeAssistantBlock(block: WireObject): AssistantPart | undefined {
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

function decodeText(block: WireObject): TextPart {
  return { type: 'text', text: stringOf(block.text), ...cacheOf(block) };
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
