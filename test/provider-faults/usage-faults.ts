import type { Counts } from '../provider-kinds/provider-kind.ts';
import { complete, type Fault, type FaultOutcome } from './fault.ts';
import { end, play, speech } from './replies.ts';

function counting(name: string, counts: Counts | undefined, usage: FaultOutcome['usage']): Fault {
  return {
    name,
    reply: (kind) => {
      const { begin, words, finish, end: mark } = kind.say(['Hel', 'lo'], counts);
      return play(kind, [begin, ...words, finish, mark, end]);
    },
    expected: () => ({ ...complete, usage }),
  };
}

/** The most that is believed of one count. */
const tokensMax = 2 ** 31 - 1;

/** Counts that are missing, or cannot be. Whatever they say, the answer stands, and nobody gets money for it. */
export const usageFaults: readonly Fault[] = [
  counting('does not say what it used', undefined, undefined),
  counting('says that it used nothing', { prompt: 0, completion: 0 }, undefined),
  counting('has used less than nothing', { prompt: -7, completion: -2 }, undefined),
  counting(
    'says that it used everything',
    { prompt: 1e12, completion: 2 },
    { promptTokens: tokensMax, completionTokens: 2 },
  ),
  counting('has used half a token', { prompt: 7.5, completion: 2 }, { promptTokens: 7, completionTokens: 2 }),
  counting('says in words what it used', { prompt: 'seven', completion: 'two' }, undefined),
  counting('says null for what it used', { prompt: null, completion: null }, undefined),
  counting(
    'has more in its cache than there was',
    { prompt: 7, completion: 2, cached: 900 },
    {
      promptTokens: 7,
      completionTokens: 2,
    },
  ),
  {
    name: 'says twice what it used',
    reply: (kind) => {
      const first = kind.say(['Hel', 'lo'], { prompt: 7, completion: 1 });
      const { finish, end: mark } = speech(kind);
      return play(kind, [first.begin, ...first.words, finish, finish, mark, end]);
    },
    expected: () => ({ ...complete, usage: { promptTokens: 7, completionTokens: 2 } }),
  },
];
