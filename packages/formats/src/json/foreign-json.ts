import { inspectJson, type JsonVerdict } from './json-guard.ts';

export interface JsonLimits {
  readonly depthMax: number;
  /** Values and names. */
  readonly tokensMax: number;
}

/** Of every text from outside the gateway. */
export const foreignLimits: JsonLimits = { depthMax: 64, tokensMax: 200_000 };
/** Of a file that an operator names: a price list or a usage export may have millions of values. */
export const fileLimits: JsonLimits = { depthMax: 64, tokensMax: 10_000_000 };

/** The message is a sentence for the sender of the text. It contains nothing of the text. */
export class ForeignJsonError extends Error {
  readonly flaw: 'syntax' | 'limit' | 'number-out-of-range';

  constructor(flaw: ForeignJsonError['flaw'], message: string) {
    super(message);
    this.name = 'ForeignJsonError';
    this.flaw = flaw;
  }
}

type Reviver = (name: string, value: unknown, context?: { readonly source?: string }) => unknown;

/** The door for JSON from outside the gateway, in whatever body, file, header or cookie it came. */
export function parseForeign(text: string, limits = foreignLimits, reviver?: Reviver): unknown {
  return parseInspected(inspectForeign(text, limits), text, reviver);
}

/** The same for a reader that treats a text that it cannot read like a missing one. */
export function foreignJson(text: string, limits = foreignLimits, reviver?: Reviver): unknown {
  try {
    return parseForeign(text, limits, reviver);
  } catch (error) {
    if (error instanceof ForeignJsonError) return undefined;
    throw error;
  }
}

/** The first half of `parseForeign`, in linear time. Throws if the text must not be parsed. */
export function inspectForeign(text: string, { depthMax, tokensMax }: JsonLimits): JsonVerdict {
  const verdict = inspectJson(text, { depthMax, tokensMax });
  switch (verdict) {
    case 'too-deep':
      throw new ForeignJsonError('limit', `The JSON is nested more than ${depthMax} levels deep. Flatten it.`);
    case 'too-many-tokens':
      throw new ForeignJsonError(
        'limit',
        `The JSON has more than ${tokensMax} values and names. Send fewer in one request.`,
      );
    case 'backslash-in-name':
      throw new ForeignJsonError(
        'limit',
        'A member name in the JSON contains a backslash, which is not supported. Use another name.',
      );
    default:
      return verdict;
  }
}

/** The second half, with the result of the first. */
export function parseInspected(verdict: JsonVerdict, text: string, reviver?: Reviver): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text, reviver);
  } catch {
    throw new ForeignJsonError('syntax', 'The text is not valid JSON.');
  }
  if (verdict === 'number-out-of-range') {
    throw new ForeignJsonError(
      'number-out-of-range',
      'The JSON contains a number outside the range of a double. Send a smaller one.',
    );
  }
  return value;
}
