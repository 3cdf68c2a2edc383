import type { Counts } from '../provider-kinds/provider-kind.ts';
import { complete, type Fault, type FaultOutcome } from './fault.ts';
import { end, play, splitAnswer } from './replies.ts';

function counting(name: string, counts: Counts | undefined, usage: FaultOutcome['usage']): Fault {
  return {
    name,
    reply: (kind) => {
      const { begin, words, finish, end: mark } = kind.answer(['Hel', 'lo'], counts);
      return play(kind, [begin, ...words, finish, mark, end]);
    },
    expected: () => ({ ...complete, usage }),
  };
}

/** The maximum that the gateway accepts for one count. */
const tokensMax = 2 ** 31 - 1;

/** Missing or impossible counts. The answer stays complete, and no usage is ever negative. */
export const usageFaults: readonly Fault[] = [
  counting('does not report its usage', undefined, undefined),
  counting('reports a usage of zero', { prompt: 0, completion: 0 }, undefined),
  counting('reports a negative usage', { prompt: -7, completion: -2 }, undefined),
  counting(
    'reports a usage of 1e12 tokens',
    { prompt: 1e12, completion: 2 },
    { promptTokens: tokensMax, completionTokens: 2 },
  ),
  counting('reports a fraction of a token', { prompt: 7.5, completion: 2 }, { promptTokens: 7, completionTokens: 2 }),
  counting('reports its usage in words', { prompt: 'seven', completion: 'two' }, undefined),
  counting('reports its usage as null', { prompt: null, completion: null }, undefined),
  counting(
    'reports more cached tokens than prompt tokens',
    { prompt: 7, completion: 2, cached: 900 },
    {
      promptTokens: 7,
      completionTokens: 2,
    },
  ),
  {
    name: 'reports its usage twice',
    reply: (kind) => {
      const first = kind.answer(['Hel', 'lo'], { prompt: 7, completion: 1 });
      const { finish, end: mark } = splitAnswer(kind);
      return play(kind, [first.begin, ...first.words, finish, finish, mark, end]);
    },
    expected: () => ({ ...complete, usage: { promptTokens: 7, completionTokens: 2 } }),
  },
];
