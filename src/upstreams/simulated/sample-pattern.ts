/** Longer than any sample needs to be. */
const lengthMax = 1000;
const depthMax = 32;

/** `undefined` for unsupported syntax. The expression is parsed, never run: it comes from a client. */
export function samplePattern(pattern: string, atLeast = 0): string | undefined {
  const reader = new PatternReader(pattern, atLeast);
  const text = reader.read();
  return text !== undefined && text.length <= lengthMax ? text : undefined;
}

class PatternReader {
  readonly #pattern: string;
  readonly #atLeast: number;
  #at = 0;
  #depth = 0;

  constructor(pattern: string, atLeast: number) {
    this.#pattern = pattern;
    this.#atLeast = atLeast;
  }

  read(): string | undefined {
    const text = this.#alternatives();
    return this.#at === this.#pattern.length ? text : undefined;
  }

  /** Returns the first alternative that is supported. The others are parsed and dropped. */
  #alternatives(): string | undefined {
    if (++this.#depth > depthMax) return undefined;
    let chosen = this.#sequence();
    while (this.#eat('|')) {
      const other = this.#sequence();
      chosen ??= other;
    }
    this.#depth--;
    return chosen;
  }

  #sequence(): string | undefined {
    let text: string | undefined = '';
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#peek())) {
      const piece = this.#atom();
      const times = this.#times();
      if (piece === undefined || times === undefined) text = undefined;
      else if (text !== undefined && text.length <= lengthMax) text += piece.repeat(Math.min(times, lengthMax));
      if (piece === undefined && this.#at >= this.#pattern.length) break;
    }
    return text;
  }

  #atom(): string | undefined {
    const character = this.#take();
    if (character === '^' || character === '$') return '';
    if (character === '(') return this.#group();
    if (character === '[') return this.#oneOf();
    if (character === '.') return 'a';
    return character === '\\' ? this.#escape() : character;
  }

  #group(): string | undefined {
    if (this.#eat('?') && !this.#eat(':')) {
      // The name of a group is skipped. Look-ahead and look-behind are not supported.
      const name = /^<[A-Za-z_]\w*>/.exec(this.#pattern.slice(this.#at, this.#at + nameMax))?.[0];
      if (name === undefined) return this.#giveUp();
      this.#at += name.length;
    }
    const text = this.#alternatives();
    return this.#eat(')') ? text : this.#giveUp();
  }

  #oneOf(): string | undefined {
    const isNegated = this.#eat('^');
    const members: string[] = [];
    while (this.#at < this.#pattern.length && (this.#peek() !== ']' || members.length === 0)) {
      const first = this.#take();
      const member = first === '\\' ? this.#escape() : first;
      if (member === undefined) return this.#giveUp();
      members.push(member);
      if (this.#peek() === '-' && this.#pattern[this.#at + 1] !== ']' && this.#eat('-')) {
        const last = this.#take();
        const end = last === '\\' ? this.#escape() : last;
        if (end !== undefined) members.push(...between(member, end));
      }
    }
    if (!this.#eat(']')) return this.#giveUp();
    return isNegated ? samples.find((candidate) => !members.includes(candidate)) : members[0];
  }

  #escape(): string | undefined {
    const letter = this.#take();
    const code = { u: 4, x: 2 }[letter];
    if (code !== undefined && !this.#pattern.startsWith('{', this.#at)) {
      const digits = this.#pattern.slice(this.#at, this.#at + code);
      this.#at += code;
      return /^[0-9a-f]+$/i.test(digits) ? String.fromCharCode(Number.parseInt(digits, 16)) : undefined;
    }
    if (letter === 'p') {
      const end = this.#pattern.indexOf('}', this.#at);
      this.#at = end < 0 ? this.#pattern.length : end + 1;
      return 'a';
    }
    if (/[1-9kPB]/.test(letter)) return undefined;
    return letter in escapes ? escapes[letter as keyof typeof escapes] : letter;
  }

  /** Returns the number of repetitions of the last piece. */
  #times(): number | undefined {
    const mark = this.#peek();
    if (mark !== '' && '*+?'.includes(mark)) {
      this.#take();
      this.#eat('?');
      const least = mark === '+' ? 1 : 0;
      return mark === '?' ? 0 : Math.max(least, this.#atLeast);
    }
    const counted = /^\{(\d{1,6})(,(\d{0,6}))?\}\??/.exec(this.#pattern.slice(this.#at, this.#at + nameMax));
    if (!counted) return 1;
    this.#at += counted[0].length;
    const least = Number(counted[1]);
    if (counted[2] === undefined) return least;
    return Math.max(least, Math.min(this.#atLeast, counted[3] ? Number(counted[3]) : Infinity));
  }

  #giveUp(): undefined {
    this.#at = this.#pattern.length + 1;
  }

  #peek(): string {
    return this.#pattern.charAt(this.#at);
  }

  #take(): string {
    return this.#pattern.charAt(this.#at++);
  }

  #eat(character: string): boolean {
    const isThere = this.#at < this.#pattern.length && this.#peek() === character;
    if (isThere) this.#at++;
    return isThere;
  }
}

const nameMax = 64;

const escapes = { d: '1', D: 'a', w: 'a', W: '-', s: ' ', S: 'a', b: '', n: '\n', t: '\t', r: '\r', f: '\f', v: '\v' };

function between(first: string, last: string): readonly string[] {
  return samples.filter((character) => character >= first && character <= last);
}

/** One character of each class that patterns distinguish. */
const samples: readonly string[] = ['a', 'A', '0', ' ', '-', '_', '.', 'x'];
