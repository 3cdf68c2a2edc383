import { cacheControl } from '../../cache-control.ts';
import { appendMember, type Replacement, spliceElements, spliceMembers } from '../../json-splice.ts';
import { type WireObject, isObject, listOf, objectOf } from '../../wire-value.ts';

/**
 * The replacements in the text of a body that add cache markers where they pay off. Nothing else changes: numbers keep
 * their notation, and a content string becomes one text block.
 */
export function markSplices(body: WireObject): ReadonlyMap<string, Replacement> {
  const breakpoints = cacheBreakpoints(body);
  if (!breakpoints) return new Map();
  const { tool, system, turns } = breakpoints;
  const splices = new Map<string, Replacement>();
  if (tool !== undefined) splices.set('tools', (list) => spliceElements(list, new Map([[tool, withMark]])));
  if (system !== undefined) splices.set('system', (content) => markedBlock(content, system));
  const ofTurns = turns.map(({ message, block }) => [message, markedTurn(block)] as const);
  if (turns.length > 0) splices.set('messages', (list) => spliceElements(list, new Map(ofTurns)));
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

/**
 * The blocks that get a cache marker: the provider caches the prompt up to each. At most four, the limit of the format.
 */
interface CacheBreakpoints {
  /** The index of the tool. */
  readonly tool: number | undefined;
  /** The index of the block in the system prompt; 0 if it is a string. */
  readonly system: number | undefined;
  readonly turns: readonly BlockPosition[];
}

interface BlockPosition {
  readonly message: number;
  /** The index of the block; 0 if the content is a string. */
  readonly block: number;
}

/** About 1,000 tokens. No provider caches a shorter prompt, so a marker would have no effect. */
const worthwhileBytes = 4096;
/** The last user message, and the one that the previous request ended with, up to which its prompt was cached. */
const turnsMax = 2;

/**
 * The blocks where cache markers pay off: after long tools and system prompts, which other requests repeat, and after
 * the last user messages of a conversation that already has an answer. A cache write costs more than ordinary input,
 * and a first question may have no follow-up. Returns `undefined` if the client set markers itself.
 */
function cacheBreakpoints(prompt: WireObject): CacheBreakpoints | undefined {
  if (isMarked(prompt)) return undefined;
  const { tools, system, messages } = prompt;
  const ofTools = bytesUpTo(worthwhileBytes, tools);
  const ofBoth = bytesUpTo(worthwhileBytes, [tools, system]);
  const ofAll = bytesUpTo(worthwhileBytes, [tools, system, messages]);
  const breakpoints = {
    tool: ofTools < worthwhileBytes ? undefined : validIndex(listOf(tools).findLastIndex(isMarkableTool)),
    system: ofBoth < worthwhileBytes ? undefined : lastBlock(system),
    turns: ofAll < worthwhileBytes ? [] : lastTurns(listOf(messages)),
  };
  const isAny = breakpoints.tool !== undefined || breakpoints.system !== undefined || breakpoints.turns.length > 0;
  return isAny ? breakpoints : undefined;
}

/** A marker of `null` also counts as set by the client. */
function isMarked(prompt: WireObject): boolean {
  const contents = listOf(prompt.messages).flatMap((message) => listOf(objectOf(message)?.content));
  const inside = contents.flatMap((block) => listOf(objectOf(block)?.content));
  const blocks = [prompt, ...listOf(prompt.tools), ...listOf(prompt.system), ...contents, ...inside];
  return blocks.some((block) => objectOf(block)?.cache_control !== undefined);
}

function isMarkableTool(tool: unknown): boolean {
  return isObject(tool) && tool.defer_loading !== true;
}

function lastTurns(messages: readonly unknown[]): readonly BlockPosition[] {
  const firstAssistant = messages.findIndex((message) => objectOf(message)?.role === 'assistant');
  const lastUser = messages.findLastIndex((message) => objectOf(message)?.role === 'user');
  if (firstAssistant < 0 || lastUser < firstAssistant) return [];
  const turns: BlockPosition[] = [];
  for (let message = lastUser; message >= 0 && turns.length < turnsMax; message -= 1) {
    const turn = objectOf(messages[message]);
    const block = turn?.role === 'user' ? lastBlock(turn.content) : undefined;
    if (block !== undefined) turns.unshift({ message, block });
  }
  return turns;
}

/** The last block that can have a marker. */
function lastBlock(content: unknown): number | undefined {
  if (typeof content === 'string') return isBlank(content) ? undefined : 0;
  return validIndex(listOf(content).findLastIndex(isMarkable));
}

/**
 * Other block types cannot have a marker, or providers reject one on them. Providers also reject a marker on blank
 * text.
 */
const markable: ReadonlySet<unknown> = new Set(['image', 'document', 'tool_result', 'search_result']);

function isMarkable(block: unknown): boolean {
  if (!isObject(block)) return false;
  if (block.type === 'text') return typeof block.text === 'string' && !isBlank(block.text);
  return markable.has(block.type);
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function validIndex(index: number): number | undefined {
  return index < 0 ? undefined : index;
}

/** The size of a value in bytes, counted up to a limit. */
function bytesUpTo(limit: number, value: unknown): number {
  if (typeof value === 'string') return Math.min(limit, Buffer.byteLength(value));
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = 0;
  for (const [name, each] of Object.entries(value)) {
    if (bytes >= limit) break;
    bytes += (Array.isArray(value) ? 0 : name.length) + bytesUpTo(limit - bytes, each);
  }
  return Math.min(limit, bytes);
}
