import { cacheControl } from '../../cache-control.ts';
import { appendMember, type Replacement, spliceElements, spliceMembers } from '../../json/json-splice.ts';
import { type WireObject, isObject, listOf, objectOf } from '../../wire-value.ts';

/** About 1,000 tokens. No provider caches a shorter prompt, so a marker would have no effect. */
const worthwhileBytes = 4096;
/** The last user message, and the one that the previous request ended with, up to which its prompt was cached. */
const turnsMax = 2;

/**
 * The replacements in the text of a body that add cache markers where they pay off: after long tools and system prompts,
 * which other requests repeat, and after the last user messages of a conversation that already has an answer. A cache
 * write costs more than ordinary input, and a first question may have no follow-up. There are at most four, the limit of
 * the format, and none if the client set markers itself. Nothing else changes: numbers keep their notation, and a content
 * string becomes one text block.
 */
export function markSplices(body: WireObject): ReadonlyMap<string, Replacement> {
  const splices = new Map<string, Replacement>();
  if (isMarked(body)) return splices;
  const { tools, system, messages } = body;
  const markableTool = (tool: unknown) => isObject(tool) && tool.defer_loading !== true;
  const tool = isWorthwhile([tools]) ? listOf(tools).findLastIndex(markableTool) : -1;
  if (tool >= 0) splices.set('tools', (list) => spliceElements(list, new Map([[tool, withMark]])));
  const block = isWorthwhile([tools, system]) ? lastBlock(system) : -1;
  if (block >= 0) splices.set('system', (content) => markedBlock(content, block));
  const turns = lastTurns(isWorthwhile([tools, system, messages]) ? listOf(messages) : []);
  if (turns.size > 0) splices.set('messages', (list) => spliceElements(list, turns));
  return splices;
}

function markedTurn(block: number): Replacement {
  const content = (value: string): string => markedBlock(value, block);
  return (turn) => spliceMembers(turn, new Map([['content', content]]));
}

function markedBlock(content: string, block: number): string {
  if (content.startsWith('"')) return `[${withMark(`{"type":"text","text":${content}}`)}]`;
  return spliceElements(content, new Map([[block, withMark]]));
}

const mark = JSON.stringify(cacheControl('5m'));

function withMark(block: string): string {
  return block.startsWith('{') ? appendMember(block, 'cache_control', mark) : block;
}

/** A marker of `null` also counts as set by the client. */
function isMarked(prompt: WireObject): boolean {
  const contents = listOf(prompt.messages).flatMap((message) => listOf(objectOf(message)?.content));
  const inside = contents.flatMap((block) => listOf(objectOf(block)?.content));
  const blocks = [prompt, ...listOf(prompt.tools), ...listOf(prompt.system), ...contents, ...inside];
  return blocks.some((block) => objectOf(block)?.cache_control !== undefined);
}

function lastTurns(messages: readonly unknown[]): ReadonlyMap<number, Replacement> {
  const turns = new Map<number, Replacement>();
  const firstAssistant = messages.findIndex((message) => objectOf(message)?.role === 'assistant');
  const lastUser = messages.findLastIndex((message) => objectOf(message)?.role === 'user');
  if (firstAssistant < 0 || lastUser < firstAssistant) return turns;
  for (let message = lastUser; message >= 0 && turns.size < turnsMax; message -= 1) {
    const turn = objectOf(messages[message]);
    const block = turn?.role === 'user' ? lastBlock(turn.content) : -1;
    if (block >= 0) turns.set(message, markedTurn(block));
  }
  return turns;
}

/** The index of the last block that can have a marker, or -1. A string is one block. */
function lastBlock(content: unknown): number {
  if (typeof content === 'string') return isBlank(content) ? -1 : 0;
  return listOf(content).findLastIndex(isMarkable);
}

/** Providers reject a marker on other block types and on blank text. */
const markable: ReadonlySet<unknown> = new Set(['image', 'document', 'tool_result', 'search_result']);

function isMarkable(block: unknown): boolean {
  if (!isObject(block)) return false;
  if (block.type === 'text') return typeof block.text === 'string' && !isBlank(block.text);
  return markable.has(block.type);
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function isWorthwhile(parts: readonly unknown[]): boolean {
  return bytesUpTo(worthwhileBytes, parts) >= worthwhileBytes;
}

function bytesUpTo(limit: number, value: unknown): number {
  // A text has at least as many bytes as characters.
  if (typeof value === 'string')
    return value.length >= limit ? limit : Math.min(limit, new TextEncoder().encode(value).length);
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = 0;
  for (const [name, each] of Object.entries(value)) {
    if (bytes >= limit) break;
    bytes += (Array.isArray(value) ? 0 : name.length) + bytesUpTo(limit - bytes, each);
  }
  return Math.min(limit, bytes);
}
