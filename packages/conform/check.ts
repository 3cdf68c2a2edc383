import { NoResponse } from './client.ts';
import type { Context } from './context.ts';
import { type CheckOutcome, SkippedCheck, UnmetExpectation } from './outcome.ts';

/** One rule of the contract that a client can test. */
export interface Check {
  readonly id: string;
  readonly title: string;
  run(context: Context): Promise<CheckOutcome>;
}

/** Checks of one subject. `name` is the value for `--only` and the prefix of the ids. */
export interface Group {
  readonly name: string;
  readonly title: string;
  readonly checks: readonly Check[];
}

/** A check without its group. It passes unless its body throws. */
export interface CheckSentence {
  readonly slug: string;
  readonly title: string;
  readonly body: (context: Context) => Promise<void>;
}

export function check(slug: string, title: string, body: CheckSentence['body']): CheckSentence {
  return { slug, title, body };
}

export function group(name: string, title: string, sentences: readonly CheckSentence[]): Group {
  return {
    name,
    title,
    checks: sentences.map((sentence) => ({
      id: `${name}/${sentence.slug}`,
      title: sentence.title,
      run: (context) => outcomeOf(sentence.body(context)),
    })),
  };
}

async function outcomeOf(running: Promise<void>): Promise<CheckOutcome> {
  try {
    await running;
    return { kind: 'pass' };
  } catch (error) {
    if (error instanceof SkippedCheck) return { kind: 'skip', reason: error.message };
    if (error instanceof UnmetExpectation) return { kind: 'fail', expected: error.expected, seen: error.seen };
    if (error instanceof NoResponse) return { kind: 'fail', expected: 'a complete reply', seen: error.message };
    throw error;
  }
}
