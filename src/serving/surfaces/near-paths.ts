import { HttpFault } from '../http/fault.ts';
import type { Route } from '../http/route.ts';

type Guide = (error: unknown, path: string) => unknown;

interface KnownPath {
  /** For example `GET /v1/models/{model}`. */
  readonly name: string;
  readonly isMessages: boolean;
  /** The segments that a client appends to its base URL, without the version. */
  readonly tail: readonly string[];
}

/** Extends a 404 with the correct path. The path that the client sent is compared but never repeated. */
export function pathGuide(routes: readonly Pick<Route, 'method' | 'path'>[], messagesPrefix: string): Guide {
  const bases = { chat: '/v1', messages: `${messagesPrefix}/v1` };
  const endpoints = routes.flatMap((route) => endpointOf(route, bases));
  const prefix = segmentsOf(messagesPrefix);

  function hint(path: string): string | undefined {
    const segments = segmentsOf(path);
    if (otherAreas.has(segments[0] ?? '')) return undefined;
    const near = nearest(endpoints, segments, prefix);
    if (near) return `No endpoint has this path. The endpoint is ${near.name}; ${baseOf(near, messagesPrefix)}`;
    const isBelowBase = segments[0] === 'v1' || segments[0] === prefix[0];
    if (!isBelowBase && !segments.some((word) => foreignSegment.test(word))) return undefined;
    const names = endpoints.map(({ name }) => name).join(', ');
    return `This gateway has no such endpoint. It has ${names}; all are described at /docs/api.`;
  }

  return (error, path) => {
    if (!(error instanceof HttpFault) || error.kind !== 'not-found' || error.detail !== undefined) return error;
    const detail = hint(path);
    return detail === undefined ? error : new HttpFault('not-found', detail);
  };
}

const otherAreas = new Set(['admin', 'account', 'app', 'auth', 'assets']);

/** Names that other servers use for endpoints of this gateway. */
const otherNames = new Map([
  ['api/chat', ['chat', 'completions']],
  ['api/generate', ['completions']],
  ['api/tags', ['models']],
]);

const foreignSegment =
  /^(?:assistants|audio|batches|embeddings|files|fine_tuning|images|moderations|realtime|rerank|threads|uploads|vector_stores|videos)$/;

function endpointOf({ method, path }: Pick<Route, 'method' | 'path'>, bases: { chat: string; messages: string }) {
  const isMessages = path.startsWith(`${bases.messages}/`);
  const base = isMessages ? bases.messages : bases.chat;
  if (!path.startsWith(`${base}/`)) return [];
  const name = `${method} ${path.replace(/[:*](\w+)/g, '{$1}')}`;
  return [{ name, isMessages, tail: segmentsOf(path.slice(base.length)) }];
}

/** The endpoint whose tail the path ends with, longest first; of equal tails, that of the surface in the path. */
function nearest(
  endpoints: readonly KnownPath[],
  segments: readonly string[],
  prefix: readonly string[],
): KnownPath | undefined {
  const words = otherNames.get(segments.join('/')) ?? segments;
  const isMessagesPath = prefix.every((word) => segments.includes(word));
  return endpoints
    .filter(({ tail }) => isBase(words, startOf(words, tail), prefix))
    .toSorted((one, other) => other.tail.length - one.tail.length)
    .find(({ isMessages }, index, all) => isMessages === isMessagesPath || isOnlyOne(all, index));
}

function isOnlyOne(sorted: readonly KnownPath[], index: number): boolean {
  return sorted.filter(({ tail }) => tail.join('/') === sorted[index]?.tail.join('/')).length === 1;
}

/** Where the path ends with this tail, or -1. A last segment such as `*model` matches all following segments. */
function startOf(words: readonly string[], tail: readonly string[]): number {
  const isOpen = tail.at(-1)?.startsWith('*') === true;
  const fixed = isOpen ? tail.slice(0, -1) : tail;
  const start = isOpen ? words.lastIndexOf(fixed[0] ?? '') : words.length - fixed.length;
  const isLongEnough = start >= 0 && fixed.length > 0 && (!isOpen || words.length > start + fixed.length);
  return isLongEnough && fixed.every((word, at) => words[start + at] === word) ? start : -1;
}

/** Whether the words before the tail can be a base address. Below a base of this gateway, other words are a resource. */
function isBase(words: readonly string[], start: number, prefix: readonly string[]): boolean {
  const tail = words.slice(start);
  // The base address may end in the endpoint itself.
  const repeated = startOf(words.slice(0, Math.max(start, 0)), tail);
  const before = words.slice(0, repeated >= 0 ? repeated : Math.max(start, 0));
  const isBelowBase = before[0] === 'v1' || (before.length > 0 && before[0] === prefix[0]);
  return start >= 0 && (!isBelowBase || before.every((word) => baseWord.test(word) || prefix.includes(word)));
}

const baseWord = /^(?:v\d.*|api|openai|anthropic)$/;

function baseOf({ isMessages }: KnownPath, messagesPrefix: string): string {
  return isMessages
    ? `the base address of a client library ends in ${messagesPrefix}.`
    : 'the base address of a client library ends in /v1.';
}

function segmentsOf(path: string): readonly string[] {
  return path.toLowerCase().split('/').filter(Boolean);
}
