import { isObject, listOf, objectOf, type WireObject } from '../wire-value.ts';

/** Blocks of a prompt that the provider is asked to keep everything up to. Never more than the four that the format takes. */
export interface CachePlaces {
  /** Which tool, if one. */
  readonly tool: number | undefined;
  /** Which block of the system; the first where it is a text. */
  readonly system: number | undefined;
  readonly turns: readonly BlockPlace[];
}

interface BlockPlace {
  readonly message: number;
  /** The first where the turn is a text. */
  readonly block: number;
}

/** About a thousand tokens: no provider keeps less, and a mark would be for nothing. */
const worthwhileBytes = 4096;
/** The turn that the request before ended with, where its prompt was kept up to, and the one this request ends with. */
const turnsMax = 2;

/**
 * Where marks pay: behind long beginnings that other requests repeat, which are the tools and the system, and in a
 * conversation that has shown to go on behind the last turns of its user. Keeping costs more than reading: of a
 * first question nobody knows whether a second one follows. Nowhere, where the client has marks of its own.
 */
export function cachePlaces(prompt: WireObject): CachePlaces | undefined {
  if (isMarked(prompt)) return undefined;
  const { tools, system, messages } = prompt;
  const ofTools = bytesUpTo(worthwhileBytes, tools);
  const ofBoth = bytesUpTo(worthwhileBytes, [tools, system]);
  const ofAll = bytesUpTo(worthwhileBytes, [tools, system, messages]);
  const places = {
    tool: ofTools < worthwhileBytes ? undefined : found(listOf(tools).findLastIndex(isMarkableTool)),
    system: ofBoth < worthwhileBytes ? undefined : lastBlock(system),
    turns: ofAll < worthwhileBytes ? [] : lastTurns(listOf(messages)),
  };
  const isAny = places.tool !== undefined || places.system !== undefined || places.turns.length > 0;
  return isAny ? places : undefined;
}

/** Also a mark of `null` is the client's own word. */
function isMarked(prompt: WireObject): boolean {
  const contents = listOf(prompt.messages).flatMap((message) => listOf(objectOf(message)?.content));
  const inside = contents.flatMap((block) => listOf(objectOf(block)?.content));
  const blocks = [prompt, ...listOf(prompt.tools), ...listOf(prompt.system), ...contents, ...inside];
  return blocks.some((block) => objectOf(block)?.cache_control !== undefined);
}

function isMarkableTool(tool: unknown): boolean {
  return isObject(tool) && tool.defer_loading !== true;
}

function lastTurns(messages: readonly unknown[]): readonly BlockPlace[] {
  const answered = messages.findIndex((message) => objectOf(message)?.role === 'assistant');
  const asked = messages.findLastIndex((message) => objectOf(message)?.role === 'user');
  if (answered < 0 || asked < answered) return [];
  const turns: BlockPlace[] = [];
  for (let message = asked; message >= 0 && turns.length < turnsMax; message -= 1) {
    const turn = objectOf(messages[message]);
    const block = turn?.role === 'user' ? lastBlock(turn.content) : undefined;
    if (block !== undefined) turns.unshift({ message, block });
  }
  return turns;
}

/** The last block that can have a mark. */
function lastBlock(content: unknown): number | undefined {
  if (typeof content === 'string') return isBlank(content) ? undefined : 0;
  return found(listOf(content).findLastIndex(isMarkable));
}

/** Blocks of other types have no mark, or providers refuse one on them, as they do on a text that says nothing. */
const markable: ReadonlySet<unknown> = new Set(['image', 'document', 'tool_result', 'search_result']);

function isMarkable(block: unknown): boolean {
  if (!isObject(block)) return false;
  if (block.type === 'text') return typeof block.text === 'string' && !isBlank(block.text);
  return markable.has(block.type);
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function found(index: number): number | undefined {
  return index < 0 ? undefined : index;
}

/** How much is said in a value, counted no further than to a limit. */
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
