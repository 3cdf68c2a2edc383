import { cacheControl } from '../../cache-control.ts';
import { appendMember, type Replacement, spliceElements, spliceMembers } from '../../json-splice.ts';
import type { WireObject } from '../../wire-value.ts';
import { cacheBreakpoints } from './cache-breakpoints.ts';

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
