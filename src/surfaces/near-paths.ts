import { HttpFault } from '../http/fault.ts';
import type { Route } from '../http/route.ts';

/** An error that says what to do about it, where the path it is about nearly names an endpoint. */
export type Guide = (error: unknown, path: string) => unknown;

interface KnownPath {
  /** As a reader would write it: `GET /v1/models/{model}`. */
  readonly name: string;
  readonly isMessages: boolean;
  /** What a client appends to its base address, without the version. */
  readonly tail: readonly string[];
}

/** Turns a bare 404 into one that names the right path. What the client sent is compared and never repeated. */
export function pathGuide(routes: readonly Pick<Route, 'method' | 'path'>[], messagesPrefix: string): Guide {
  const bases = { chat: '/v1', messages: `${messagesPrefix}/v1` };
  const endpoints = routes.flatMap((route) => endpointOf(route, bases));
  const prefix = wordsOf(messagesPrefix);

  function hint(path: string): string | undefined {
    const asked = wordsOf(path);
    if (otherHouses.has(asked[0] ?? '')) return undefined;
    const near = nearest(endpoints, asked, prefix);
    if (near) return `There is nothing at this path. The endpoint is ${near.name}; ${baseOf(near, messagesPrefix)}`;
    const isBelowBase = asked[0] === 'v1' || asked[0] === prefix[0];
    if (!isBelowBase && !asked.some((word) => notHere.has(word))) return undefined;
    const names = endpoints.map(({ name }) => name).join(', ');
    return `This gateway has no such endpoint. It has ${names}; all are described at /docs.`;
  }

  return (error, path) => {
    if (!(error instanceof HttpFault) || error.kind !== 'not-found' || error.detail !== undefined) return error;
    const detail = hint(path);
    return detail === undefined ? error : new HttpFault('not-found', detail);
  };
}

/** Parts of the gateway whose paths are none of a client program's. */
const otherHouses = new Set(['admin', 'account', 'app', 'auth', 'assets']);

/** What other servers call the endpoints that we have. */
const otherNames = new Map([
  ['api/chat', ['chat', 'completions']],
  ['api/generate', ['completions']],
  ['api/tags', ['models']],
]);

/** What other servers have and we have not. */
const notHere = new Set([
  'assistants',
  'audio',
  'batches',
  'embeddings',
  'files',
  'fine_tuning',
  'images',
  'moderations',
  'realtime',
  'rerank',
  'threads',
  'uploads',
  'vector_stores',
  'videos',
]);

function endpointOf({ method, path }: Pick<Route, 'method' | 'path'>, bases: { chat: string; messages: string }) {
  const isMessages = path.startsWith(`${bases.messages}/`);
  const base = isMessages ? bases.messages : bases.chat;
  if (!path.startsWith(`${base}/`)) return [];
  const name = `${method} ${path.replace(/[:*](\w+)/g, '{$1}')}`;
  return [{ name, isMessages, tail: wordsOf(path.slice(base.length)) }];
}

/** The one whose words the path ends with, most of them first; of two alike the one of the surface it speaks of. */
function nearest(
  endpoints: readonly KnownPath[],
  asked: readonly string[],
  prefix: readonly string[],
): KnownPath | undefined {
  const words = otherNames.get(asked.join('/')) ?? asked;
  const speaksOfMessages = prefix.every((word) => asked.includes(word));
  return endpoints
    .filter(({ tail }) => endsWith(words, tail))
    .toSorted((one, other) => other.tail.length - one.tail.length)
    .find(({ isMessages }, index, all) => isMessages === speaksOfMessages || isOnlyOne(all, index));
}

function isOnlyOne(sorted: readonly KnownPath[], index: number): boolean {
  return sorted.filter(({ tail }) => tail.join('/') === sorted[index]?.tail.join('/')).length === 1;
}

/** A last word such as `*model` stands for all that follows. */
function endsWith(words: readonly string[], tail: readonly string[]): boolean {
  if (!tail.at(-1)?.startsWith('*'))
    return tail.length > 0 && tail.every((word, at) => words.at(at - tail.length) === word);
  const fixed = tail.slice(0, -1);
  const start = words.lastIndexOf(fixed[0] ?? '');
  return start >= 0 && words.length > start + fixed.length && fixed.every((word, at) => words[start + at] === word);
}

function baseOf({ isMessages }: KnownPath, messagesPrefix: string): string {
  return isMessages
    ? `the base address of a client library ends in ${messagesPrefix}.`
    : 'the base address of a client library ends in /v1.';
}

/** The parts of a path that are not empty. */
function wordsOf(path: string): readonly string[] {
  return path.toLowerCase().split('/').filter(Boolean);
}
