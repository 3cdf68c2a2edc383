import type { AssistantPart, Message, MediaSource, TextPart, UserPart, CacheLife } from '../../chat/message.ts';
import { append } from '../../append.ts';
import { makeAnswerable } from '../../answerable.ts';
import { exactObject, type WireObject } from '../../wire-value.ts';
import { type FieldPath, invalidRequest } from '../../invalid-request.ts';
import { type CacheControl, cacheControl } from '../../cache-control.ts';

export interface EncodedTurn {
  readonly role: 'user' | 'assistant';
  readonly content: readonly WireBlock[];
}

interface OpenTurn extends Pick<EncodedTurn, 'role'> {
  /** The format requires these first in their turn. */
  readonly results: WireBlock[];
  readonly others: WireBlock[];
}

/** Joins adjacent messages of one side into one turn. Empty messages are left out. */
export function encodeTurns(conversation: readonly Message[]) {
  const messages = makeAnswerable(conversation);
  const firstTurn = messages.findIndex(({ role }) => role !== 'system');
  const leading = firstTurn < 0 ? messages.length : firstTurn;
  const system: WireBlock[] = [];
  const turns: OpenTurn[] = [];
  const idOf = toolIds();
  for (const [at, message] of messages.entries()) {
    if (at < leading && message.role === 'system') {
      append(system, withName(message.content.flatMap(encodeText), message.name));
      continue;
    }
    const turn = turnFor(turns, message.role === 'assistant' ? 'assistant' : 'user');
    if (message.role === 'tool') turn.results.push(encodeResult(message, idOf, at));
    else append(turn.others, encodeMessage(message, idOf, at));
  }
  return { system, messages: turns.map(closeTurn).filter(({ content }) => content.length > 0) };
}

/** The open turn of that side. An empty turn does not separate the turns around it. */
function turnFor(turns: OpenTurn[], role: OpenTurn['role']): OpenTurn {
  const last = turns.at(-1);
  if (last?.role === role) return last;
  if (last && closeTurn(last).content.length === 0) {
    turns.pop();
    return turnFor(turns, role);
  }
  const turn = { role, results: [], others: [] };
  turns.push(turn);
  return turn;
}

function closeTurn({ role, results, others }: OpenTurn): EncodedTurn {
  return { role, content: [...results, ...others] };
}

type IdMapping = (id: string) => string;
type ToolMessage = Extract<Message, { role: 'tool' }>;

function encodeMessage(message: Exclude<Message, ToolMessage>, idOf: IdMapping, at: number): readonly WireBlock[] {
  switch (message.role) {
    case 'system':
      return withName(message.content.flatMap(encodeText), message.name).map(asInstruction);
    case 'user':
      return withName(encodeUserParts(message.content, ['messages', at]), message.name);
    case 'assistant':
      return message.content.flatMap((part) => encodeAssistantPart(part, idOf));
    default:
      return message satisfies never;
  }
}

/** Not every model has a role for later instructions, and at the front they would invalidate the cached prompt. */
function asInstruction(block: WireBlock): WireBlock {
  return { ...block, text: `<system>\n${String(block.text)}\n</system>` };
}

/** The format has no participant names, so the name becomes a prefix of the text. */
function withName(blocks: readonly WireBlock[], name: string | undefined): readonly WireBlock[] {
  const [first, ...rest] = blocks;
  if (!first || name === undefined || name === '') return blocks;
  if (first.type !== 'text') return [{ type: 'text', text: `${name}:` }, ...blocks];
  return [{ ...first, text: `${name}: ${String(first.text)}` }, ...rest];
}

function encodeResult(message: ToolMessage, idOf: IdMapping, at: number): WireBlock {
  const content = encodeUserParts(message.content, ['messages', at]);
  return {
    type: 'tool_result',
    tool_use_id: idOf(message.toolCallId),
    content: content.length > 0 ? content : undefined,
    is_error: message.isError || undefined,
    ...mark(message.cache),
  };
}

function encodeAssistantPart(part: AssistantPart, idOf: IdMapping): readonly WireBlock[] {
  switch (part.type) {
    case 'text':
      return encodeText(part);
    case 'reasoning':
      // The format accepts reasoning only with the signature that proves its origin.
      if (part.signature === undefined) return [];
      return [{ type: 'thinking', thinking: part.text, signature: part.signature }];
    case 'redacted-reasoning':
      return [{ type: 'redacted_thinking', data: part.data }];
    case 'tool-call': {
      const input = inputOf(part.arguments);
      return [{ type: 'tool_use', id: idOf(part.id), name: part.name, input, ...mark(part.cache) }];
    }
    default:
      return part satisfies never;
  }
}

/** Invalid arguments of an earlier model cannot be corrected, and must not end the conversation: they become text. */
function inputOf(text: string): WireObject {
  if (text.trim() === '') return {};
  return exactObject(text) ?? { raw: text };
}

/** Maps each call id to one with the characters the format allows. A call and its result get the same id. */
function toolIds(): IdMapping {
  const assigned = new Map<string, string>();
  const used = new Set<string>();
  return (id) => {
    const known = assigned.get(id);
    if (known !== undefined) return known;
    const valid = id.replaceAll(/[^A-Za-z0-9_-]/g, '_') || 'call';
    let unused = valid;
    for (let number = 2; used.has(unused); number++) unused = `${valid}_${number}`;
    assigned.set(id, unused);
    used.add(unused);
    return unused;
  };
}

/** Encodes the content of a user message or tool result. Throws for audio, which the format does not support. */
function encodeUserParts(parts: readonly UserPart[], path: FieldPath): readonly WireBlock[] {
  return parts.flatMap((part, at) => {
    if (part.type === 'text') return encodeText(part);
    const { type, source, title, cache } = part;
    if (type !== 'audio')
      return { type, source: encodeSource(source), ...(title !== undefined && { title }), ...mark(cache) };
    const rule = 'must not be audio: the format of the model’s provider does not support it';
    throw invalidRequest([{ path: [...path, 'content', at], rule }]);
  });
}

/** The format rejects blank text blocks, so they are left out. */
function encodeText({ text, cache }: TextPart): readonly WireBlock[] {
  return text.trim() === '' ? [] : [{ type: 'text', text, ...mark(cache) }];
}

function encodeSource(source: MediaSource): WireObject {
  if ('url' in source) return { type: 'url', url: source.url };
  if ('text' in source) return textSource(source.text);
  const { mediaType, data } = source;
  // The format accepts text documents only as text.
  if (mediaType.startsWith('text/')) return textSource(textOfBase64(data));
  return { type: 'base64', media_type: mediaType, data };
}

/** Reads what `Buffer` of Node reads: both alphabets, with or without padding. */
function textOfBase64(data: string): string {
  const digits = data
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replaceAll(/[^A-Za-z0-9+/]/g, '');
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  const bytes = Uint8Array.from(atob(whole), (character) => character.charCodeAt(0));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

function textSource(text: string): WireObject {
  return { type: 'text', media_type: 'text/plain', data: text };
}

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
  const all = blocks.flatMap((block) => [...(block.content ?? []), block]);
  const marked = all.filter((block) => block.cache_control !== undefined);
  for (const block of marked.slice(0, Math.max(0, marked.length - marksMax))) delete block.cache_control;
}
