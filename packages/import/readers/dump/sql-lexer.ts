import { ImportError } from '../../importer.ts';

/**
 * A piece of a dump. `word`: a keyword, a number or a name without quotes. `name`: a name in quotes. `line`: a row of a
 * `COPY` block, still escaped. Texts are bytes as Latin-1 characters: the parser knows their encoding.
 */
export interface SqlToken {
  readonly kind: 'word' | 'name' | 'string' | 'mark' | 'line';
  readonly text: string;
  /** Where it begins, in bytes of the file. */
  readonly at: number;
}

/** `mysql`: `"…"` is a text and a backslash escapes. `postgres`: `"…"` is a name, and a backslash is one, except in `E'…'`. */
export type SqlDialect = 'mysql' | 'postgres';

/** A longer piece is not read: the file is no dump, or has a value that no table of a gateway has. */
const tokenMax = 64 * 1024 * 1024;

const space = /[\s\0]*/y;
const number = /[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w$\x80-\xff])/y;
const numberStart = /[-+]?[\d.]*(?:[eE][-+]?\d*)?$/y;
const word = /[\w$@\x80-\xff]+/y;
const dollarQuote = /\$(?:[A-Za-z_]\w*)?\$/y;

const mysqlEscapes: Readonly<Record<string, string>> = { 0: '\0', b: '\b', n: '\n', r: '\r', t: '\t', Z: '\x1a' };
const postgresEscapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The pieces of a dump that arrives in chunks. A piece that its chunk does not end is read again with the next one. */
export class SqlLexer {
  readonly #dialect: SqlDialect;
  #text = '';
  #position = 0;
  /** Bytes of the file before `#text`. */
  #before: number;
  #isEnded = false;
  /** Where to go on in a quoted text that its chunk did not end. */
  #scanFrom = 0;
  /** Right behind the last `E`, in bytes of the file. */
  #escapedFrom = -1;
  #mode: 'tokens' | 'statement' | 'copy' | 'delimiter' = 'tokens';

  constructor(dialect: SqlDialect, start = 0) {
    this.#dialect = dialect;
    this.#before = start;
  }

  push(chunk: Uint8Array): void {
    const rest = this.#text.slice(this.#position);
    if (rest.length > tokenMax) this.fail('a value of more than 64 MiB');
    this.#before += this.#position;
    this.#scanFrom = Math.max(0, this.#scanFrom - this.#position);
    this.#position = 0;
    this.#text = rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
  }

  end(): void {
    this.#isEnded = true;
  }

  /** Ignores everything before the `;` that ends the statement. */
  skipStatement(): void {
    this.#mode = 'statement';
  }

  /** The next pieces are the rows of a `COPY` block. */
  readCopyRows(): void {
    this.#mode = 'copy';
  }

  /** Ignores everything up to the client command `DELIMITER ;`: the bodies of triggers and procedures. */
  skipDelimited(): void {
    this.#mode = 'delimiter';
  }

  /** The next piece; `undefined` if it needs another chunk, or at the end. */
  next(): SqlToken | undefined {
    switch (this.#mode) {
      case 'copy':
        return this.#copyRow();
      case 'delimiter':
        return this.#delimiter() ? this.next() : undefined;
      case 'statement':
        return this.#statementEnd();
      default:
        return this.#token();
    }
  }

  fail(problem: string, at = this.#before + this.#position): never {
    throw new ImportError(
      `The dump has ${problem} at byte ${at}.`,
      'Write the dump again, with mysqldump or with pg_dump --format=plain.',
    );
  }

  #statementEnd(): SqlToken | undefined {
    for (let token = this.#token(); token; token = this.#token()) {
      if (token.kind !== 'mark' || token.text !== ';') continue;
      this.#mode = 'tokens';
      return token;
    }
    return undefined;
  }

  #token(): SqlToken | undefined {
    if (!this.#skipSpace() || this.#position >= this.#text.length) return undefined;
    const character = this.#text.charAt(this.#position);
    if (character === "'") return this.#quoted("'", 'string', this.#isEscaping());
    if (character === '`') return this.#quoted('`', 'name', false);
    if (character === '"' && this.#dialect === 'postgres') return this.#quoted('"', 'name', false);
    if (character === '"') return this.#quoted('"', 'string', true);
    if (character === '$' && this.#dialect === 'postgres') return this.#dollarQuoted();
    const found = matchAt(number, this.#text, this.#position) ?? matchAt(word, this.#text, this.#position);
    const text = found ?? character;
    if (!this.#isEnded && this.#mayContinue(text)) return undefined;
    return this.#taken(found === undefined ? 'mark' : 'word', text, text.length);
  }

  /** Whether the next chunk may belong to a word or number that begins here. */
  #mayContinue(found: string): boolean {
    if (matchAt(numberStart, this.#text, this.#position) !== undefined) return true;
    return this.#position + found.length >= this.#text.length && matchAt(word, found, 0) !== undefined;
  }

  /** Skips white space and comments. `false`: one needs another chunk. */
  #skipSpace(): boolean {
    for (;;) {
      this.#position += matchAt(space, this.#text, this.#position)?.length ?? 0;
      const two = this.#text.slice(this.#position, this.#position + 2);
      const isShort = two.length < 2 && !this.#isEnded;
      if (isShort && ['-', '/', '*'].includes(two)) return false;
      if (this.#isLineComment(two)) {
        if (!this.#skipPast('\n', this.#position)) return false;
      } else if (two === '/*') {
        const outcome = this.#comment();
        if (outcome !== undefined) return outcome;
      } else if (two === '*/') {
        // The end of `/*!40101 …*/`, whose content was read.
        this.#position += 2;
      } else return true;
    }
  }

  /** A backslash outside texts begins a command of the client: `\restrict` in dumps of PostgreSQL. */
  #isLineComment(two: string): boolean {
    if (two === '--' || two.startsWith('\\')) return true;
    return this.#dialect === 'mysql' && two.startsWith('#');
  }

  /** MySQL runs the content of `/*!40101 …`; of MariaDB's `/*M!…`, nothing is needed. `undefined`: go on. */
  #comment(): boolean | undefined {
    const opening = this.#text.slice(this.#position, this.#position + 16);
    const executed = this.#dialect === 'mysql' ? /^\/\*!\d{0,6}/.exec(opening) : null;
    if (executed && opening.length < 16 && !this.#isEnded) return false;
    if (executed) this.#position += executed[0].length;
    else if (opening.length < 3 && !this.#isEnded) return false;
    else if (!this.#skipPast('*/', this.#position + 2)) return false;
    return undefined;
  }

  #skipPast(end: string, from: number): boolean {
    const at = this.#text.indexOf(end, Math.max(from, this.#scanFrom));
    if (at === -1 && !this.#isEnded) {
      this.#scanFrom = Math.max(from, this.#text.length - end.length + 1);
      return false;
    }
    this.#position = at === -1 ? this.#text.length : at + end.length;
    return true;
  }

  #quoted(quote: string, kind: SqlToken['kind'], isEscaping: boolean): SqlToken | undefined {
    const special = isEscaping ? (quote === '"' ? /["\\]/g : /['\\]/g) : quoteOnly[quote];
    if (!special) throw new Error(`${quote} is not a quote`);
    const begin = this.#position + 1;
    let from = Math.max(begin, this.#scanFrom);
    for (;;) {
      special.lastIndex = from;
      const at = special.exec(this.#text)?.index ?? this.#text.length;
      if (at + 1 >= this.#text.length && !(this.#isEnded && this.#text.charAt(at) === quote)) {
        if (this.#isEnded) this.fail('an unfinished text');
        this.#scanFrom = at;
        return undefined;
      }
      const isDoubled = this.#text.charAt(at + 1) === quote;
      if (this.#text.charAt(at) === quote && !isDoubled) {
        const raw = this.#text.slice(begin, at);
        return this.#taken(kind, unquoted(raw, quote, isEscaping && this.#escapes), raw.length + 2);
      }
      from = at + 2;
    }
  }

  get #escapes(): Readonly<Record<string, string>> {
    return this.#dialect === 'mysql' ? mysqlEscapes : postgresEscapes;
  }

  /** PostgreSQL knows backslash escapes only right after an `E`. */
  #isEscaping(): boolean {
    if (this.#dialect === 'mysql') return true;
    return this.#escapedFrom === this.#before + this.#position;
  }

  #dollarQuoted(): SqlToken | undefined {
    const tag = matchAt(dollarQuote, this.#text, this.#position);
    const isShort = !this.#text.slice(this.#position + 1, this.#position + 64).includes('$');
    if (tag === undefined && isShort && !this.#isEnded && this.#text.length - this.#position < 64) return undefined;
    if (tag === undefined) return this.#taken('mark', '$', 1);
    const begin = this.#position + tag.length;
    const end = this.#text.indexOf(tag, begin);
    if (end === -1 && this.#isEnded) this.fail('an unfinished text');
    return end === -1
      ? undefined
      : this.#taken('string', this.#text.slice(begin, end), end + tag.length - this.#position);
  }

  #copyRow(): SqlToken | undefined {
    const end = this.#text.indexOf('\n', Math.max(this.#position, this.#scanFrom));
    if (end === -1 && !this.#isEnded) {
      this.#scanFrom = this.#text.length;
      return undefined;
    }
    if (end === -1) this.fail('a COPY block without its end');
    const raw = this.#text.slice(this.#position, end);
    const text = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (text === '\\.') this.#mode = 'tokens';
    return this.#taken('line', text, raw.length + 1);
  }

  #delimiter(): boolean {
    const line = /^DELIMITER[ \t]+;[ \t]*\r?\n/gim;
    line.lastIndex = this.#position;
    const match = line.exec(this.#text);
    if (!match) {
      // A line that is not complete yet stays.
      this.#position = Math.max(this.#position, this.#text.lastIndexOf('\n') + 1);
      return false;
    }
    this.#position = match.index + match[0].length;
    this.#mode = 'tokens';
    return true;
  }

  #taken(kind: SqlToken['kind'], text: string, length: number): SqlToken {
    const at = this.#before + this.#position;
    this.#position += length;
    this.#scanFrom = this.#position;
    if (kind === 'word' && /^e$/i.test(text)) this.#escapedFrom = at + length;
    return { kind, text, at };
  }
}

const quoteOnly: Readonly<Record<string, RegExp>> = { "'": /'/g, '`': /`/g, '"': /"/g };

function unquoted(raw: string, quote: string, escapes: Readonly<Record<string, string>> | false): string {
  if (!escapes) return raw.includes(quote) ? raw.replaceAll(quote + quote, quote) : raw;
  if (!raw.includes('\\') && !raw.includes(quote)) return raw;
  return raw.replace(/\\([\s\S])|(''|"")/g, (all, escaped: string | undefined) => {
    if (escaped === undefined) return all === quote + quote ? quote : all;
    // In MySQL, `\%` and `\_` keep the backslash outside patterns.
    if (escapes === mysqlEscapes && (escaped === '%' || escaped === '_')) return all;
    return escapes[escaped] ?? escaped;
  });
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
