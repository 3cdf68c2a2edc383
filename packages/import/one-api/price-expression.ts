import { Ratio } from './ratio.ts';

/** Prices per million tokens of prompts with more than so many tokens. */
export interface PriceSegment {
  readonly promptOver: bigint;
  readonly fields: ReadonlyMap<string, Ratio>;
}

/** The variables of an expression, and the prices of the catalog. */
const priceOfVariable: Readonly<Record<string, string>> = {
  p: 'input',
  c: 'output',
  cr: 'cached_input',
  cc: 'cache_write_5m',
  cc1h: 'cache_write_1h',
  img: 'input_image',
  ai: 'input_audio',
  ao: 'output_audio',
};

const segmentsMax = 8;
const lengthMax = 2000;
const tokenForm = /\s*(tier|len|<=|>=|<|>|[?:(),+*]|"[^"]*"|'[^']*'|\d+(?:\.\d+)?(?:e[+-]?\d+)?|[a-z]\w*)/iy;

/**
 * Reads the expressions that the catalog can express: kinds of tokens times numbers, chosen by the length of the prompt, such
 * as `len <= 200000 ? tier("short", p * 1.25 + c * 10) : tier("long", p * 2.5 + c * 15)`. `undefined` for all others.
 */
export function priceSegments(expression: string): readonly PriceSegment[] | undefined {
  const tokens = tokensOf(expression);
  const reader = tokens && new ExpressionReader(tokens);
  const segments = reader?.choice(0n, undefined);
  return segments && segments.length <= segmentsMax && reader?.isAtEnd ? segments : undefined;
}

function tokensOf(expression: string): readonly string[] | undefined {
  if (expression.length > lengthMax) return undefined;
  const tokens: string[] = [];
  const text = expression.trim();
  tokenForm.lastIndex = 0;
  while (tokenForm.lastIndex < text.length) {
    const [, token] = tokenForm.exec(text) ?? [];
    if (token === undefined) return undefined;
    tokens.push(token);
  }
  return tokens;
}

class ExpressionReader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  /** The prices of prompts with more than `over` and at most `upTo` tokens. */
  choice(over: bigint, upTo: bigint | undefined): readonly PriceSegment[] | undefined {
    if (this.#take('(')) {
      const inner = this.choice(over, upTo);
      return this.#take(')') ? inner : undefined;
    }
    if (!this.#take('len')) return this.#tier(over, upTo);
    const [sign, number] = [this.#next(), this.#next()];
    if (!['<=', '<', '>', '>='].includes(sign) || !/^\d{1,9}$/.test(number) || !this.#take('?')) return undefined;
    const last = sign === '<=' || sign === '>' ? BigInt(number) : BigInt(number) - 1n;
    const short = [over, upTo === undefined || last < upTo ? last : upTo] as const;
    const long = [last > over ? last : over, upTo] as const;
    const isShortFirst = sign === '<=' || sign === '<';
    const first = this.choice(...(isShortFirst ? short : long));
    const second = this.#take(':') ? this.choice(...(isShortFirst ? long : short)) : undefined;
    return first && second && (isShortFirst ? [...first, ...second] : [...second, ...first]);
  }

  #tier(over: bigint, upTo: bigint | undefined): readonly PriceSegment[] | undefined {
    if (!this.#take('tier') || !this.#take('(') || !/^["']/.test(this.#next()) || !this.#take(',')) return undefined;
    const fields = new Map<string, Ratio>();
    do {
      const [left, star, right] = [this.#next(), this.#next(), this.#next()];
      const [name, number] = /^\d/.test(left) ? [right, left] : [left, right];
      const field = Object.hasOwn(priceOfVariable, name) ? priceOfVariable[name] : undefined;
      const price = Ratio.of(number);
      if (star !== '*' || field === undefined || !price || fields.has(field)) return undefined;
      fields.set(field, price);
    } while (this.#take('+'));
    if (!this.#take(')') || !fields.has('input') || !fields.has('output')) return undefined;
    return upTo !== undefined && upTo <= over ? [] : [{ promptOver: over, fields }];
  }

  #next(): string {
    this.#at += 1;
    return this.#tokens[this.#at - 1] ?? '';
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }
}
