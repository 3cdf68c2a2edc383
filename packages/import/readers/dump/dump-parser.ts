import type { Cell, Row } from '../../table-reader.ts';
import { type SqlDialect, SqlLexer, type SqlToken } from './sql-lexer.ts';
import { encodingOf, type TextEncoding, textOf } from './dump-text.ts';

/** A table of a dump. `begin` and `end` enclose the statements with its rows, in bytes of the file. */
export interface DumpedTable {
  readonly name: string;
  columns: readonly string[];
  begin: number | undefined;
  end: number;
}

/** A statement before its rows has fewer pieces than this, or it is none that a dump program writes. */
const headMax = 10_000;

/** The first word of an entry of CREATE TABLE that is no column. */
const constraints = new Set(
  'PRIMARY UNIQUE KEY INDEX CONSTRAINT FULLTEXT SPATIAL FOREIGN CHECK PERIOD LIKE EXCLUDE'.split(' '),
);

interface ParserOptions {
  readonly dialect: SqlDialect;
  /** The table whose rows are returned; `undefined`: only the tables are listed. */
  readonly wanted?: string | undefined;
  readonly tables?: ReadonlyMap<string, DumpedTable>;
  readonly encoding?: TextEncoding;
  /** The position of the first chunk in the file. */
  readonly start?: number;
}

/**
 * Reads the statements of a dump that arrives in chunks: CREATE TABLE, INSERT, REPLACE and COPY. It skips all others. The
 * rows of a chunk are returned at once, so that the memory does not depend on the size of the file.
 */
export class DumpParser {
  readonly tables: Map<string, DumpedTable>;
  #encoding: TextEncoding;
  readonly #lexer: SqlLexer;
  readonly #wanted: string | undefined;
  #rows: Row[] = [];
  #head: SqlToken[] = [];
  #step: (token: SqlToken) => void = (token) => this.#readHead(token);

  constructor({ dialect, wanted, tables = new Map(), encoding = 'utf-8', start = 0 }: ParserOptions) {
    this.#lexer = new SqlLexer(dialect, start);
    this.#wanted = wanted;
    this.tables = new Map(tables);
    this.#encoding = encoding;
  }

  get encoding(): TextEncoding {
    return this.#encoding;
  }

  /** The rows that this chunk completes. */
  push(chunk: Uint8Array): readonly Row[] {
    this.#lexer.push(chunk);
    return this.#read();
  }

  end(): readonly Row[] {
    this.#lexer.end();
    return this.#read();
  }

  #read(): readonly Row[] {
    for (let token = this.#lexer.next(); token; token = this.#lexer.next()) this.#step(token);
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  /** Collects a statement until its kind is clear. */
  #readHead(token: SqlToken): void {
    if (isMark(token, ';')) {
      this.#endHead();
      return;
    }
    this.#head.push(token);
    if (this.#head.length > headMax) this.#lexer.fail('a statement that is too long', token.at);
    const first = wordOf(this.#head[0]);
    if (first === 'DELIMITER') {
      this.#head = [];
      this.#lexer.skipDelimited();
    } else if (first === 'INSERT' || first === 'REPLACE') {
      if (wordOf(token) === 'VALUES') this.#beginInsert();
    } else if (first === 'CREATE') this.#readCreate(token);
    else if (first !== 'SET' && first !== 'COPY') this.#skip();
  }

  #endHead(): void {
    const head = this.#head;
    this.#head = [];
    const first = wordOf(head[0]);
    if (first === 'SET') this.#encoding = this.#encodingSet(head) ?? this.#encoding;
    if (first === 'COPY') this.#beginCopy(head);
  }

  #skip(): void {
    this.#head = [];
    this.#step = (token) => {
      if (isMark(token, ';')) this.#step = (next) => this.#readHead(next);
    };
    this.#lexer.skipStatement();
  }

  #encodingSet(head: readonly SqlToken[]): TextEncoding | undefined {
    const [, name, ...values] = head;
    const isNames = wordOf(name) === 'NAMES' || wordOf(name) === 'CLIENT_ENCODING';
    const value = values.find(({ kind }) => kind !== 'mark');
    if (!isNames || !value) return undefined;
    return (
      encodingOf(value.text) ??
      this.#lexer.fail(`texts in the character set ${value.text}, which is not read,`, value.at)
    );
  }

  /** `CREATE TABLE name (` is followed by the columns; any other CREATE is of no use. */
  #readCreate(token: SqlToken): void {
    const isTable = this.#head.slice(1, 4).some((part) => wordOf(part) === 'TABLE');
    if (!isTable && this.#head.length > 3) this.#skip();
    if (!isTable || !isMark(token, '(')) return;
    const name = this.#tableName(this.#head.slice(0, -1));
    const known = this.tables.get(name);
    if (known && known.columns.length > 0)
      this.#lexer.fail(`two tables named "${name}": dump one database only; the second is`, token.at);
    const columns: string[] = [];
    this.tables.set(name, { begin: undefined, end: 0, ...known, name, columns });
    this.#head = [];
    let depth = 1;
    let isEntry = true;
    this.#step = (next) => {
      if (depth === 1 && isEntry) {
        const isColumn = next.kind === 'name' || (next.kind === 'word' && !constraints.has(next.text.toUpperCase()));
        if (isColumn) columns.push(textOf(next.text, this.#encoding));
      }
      isEntry = depth === 1 && isMark(next, ',');
      if (isMark(next, '(')) depth += 1;
      if (isMark(next, ')')) depth -= 1;
      if (depth === 0) this.#skip();
    };
  }

  #beginInsert(): void {
    const head = this.#head.slice(0, -1);
    this.#head = [];
    const { table, columns } = this.#target(head);
    const names = this.#begun(table, columns, head[0]?.at ?? 0);
    if (!names) {
      this.#lexer.skipStatement();
      this.#step = (token) => this.#endRows(table, token);
      return;
    }
    let values: Cell[] | undefined;
    let parts: SqlToken[] = [];
    this.#step = (token) => {
      if (values === undefined) {
        if (isMark(token, '(')) values = [];
        else if (!isMark(token, ',')) this.#afterRows(table, token);
      } else if (isMark(token, ',') || isMark(token, ')')) {
        if (parts.length > 0) values.push(this.#cell(parts));
        else if (values.length > 0 || isMark(token, ',')) this.#lexer.fail('a row without a value', token.at);
        parts = [];
        if (!isMark(token, ')')) return;
        this.#rows.push(this.#row(table, names, values, token));
        values = undefined;
      } else parts.push(token);
    };
  }

  /** `ON DUPLICATE KEY UPDATE` and the like say nothing about the rows. */
  #afterRows(table: string, token: SqlToken): void {
    if (isMark(token, ';')) {
      this.#endRows(table, token);
      return;
    }
    this.#lexer.skipStatement();
    this.#step = (next) => this.#endRows(table, next);
  }

  #beginCopy(head: readonly SqlToken[]): void {
    const from = head.findIndex((token) => wordOf(token) === 'FROM');
    if (from === -1) return;
    const { table, columns } = this.#target(head.slice(0, from));
    const names = this.#begun(table, columns, head[0]?.at ?? 0);
    this.#lexer.readCopyRows();
    let isFirst = true;
    this.#step = (token) => {
      // The line break behind `FROM stdin;`.
      if (isFirst && token.text === '') {
        isFirst = false;
        return;
      }
      isFirst = false;
      if (token.text === '\\.') this.#endRows(table, token);
      else if (names) this.#rows.push(this.#row(table, names, this.#copyCells(token.text), token));
    };
  }

  /** Notes where the rows of a table begin. Returns the columns if its rows are wanted. */
  #begun(name: string, columns: readonly string[] | undefined, at: number): readonly string[] | undefined {
    const table = this.tables.get(name) ?? { name, columns: columns ?? [], begin: undefined, end: 0 };
    table.begin ??= at;
    if (table.columns.length === 0) table.columns = columns ?? [];
    this.tables.set(name, table);
    return name === this.#wanted ? (columns ?? table.columns) : undefined;
  }

  #endRows(name: string, token: SqlToken): void {
    const table = this.tables.get(name);
    if (table) table.end = token.at + token.text.length + 1;
    this.#step = (next) => this.#readHead(next);
  }

  /** The table and the list of columns of `INSERT INTO` or `COPY`. */
  #target(head: readonly SqlToken[]): { readonly table: string; readonly columns: readonly string[] | undefined } {
    const open = head.findIndex((token) => isMark(token, '('));
    const table = this.#tableName(open === -1 ? head : head.slice(0, open));
    if (open === -1) return { table, columns: undefined };
    const close = head.findIndex((token) => isMark(token, ')'));
    const listed = head.slice(open + 1, close === -1 ? undefined : close).filter(({ kind }) => kind !== 'mark');
    return { table, columns: listed.map(({ text }) => textOf(text, this.#encoding)) };
  }

  /** The last name of `schema.table`, without the schema. */
  #tableName(head: readonly SqlToken[]): string {
    const last = head.findLast(({ kind }) => kind !== 'mark');
    return last ? textOf(last.text, this.#encoding) : this.#lexer.fail('a table without a name');
  }

  #row(table: string, names: readonly string[], values: readonly Cell[], { at }: SqlToken): Row {
    if (names.length !== values.length) {
      this.#lexer.fail(`a row of "${table}" with ${values.length} values for ${names.length} columns`, at);
    }
    return Object.fromEntries(names.map((name, index) => [name, values[index] ?? null]));
  }

  #copyCells(line: string): readonly Cell[] {
    return line.split('\t').map((field) => (field === '\\N' ? null : textOf(copyText(field), this.#encoding)));
  }

  /** A literal. It may begin with a word that says how to read the text: `_binary '…'`, `X'…'`, `E'…'`. */
  #cell(parts: readonly SqlToken[]): Cell {
    const [first, second] = parts;
    const isSigned = parts.length === 2 && first?.kind === 'mark' && '-+'.includes(first.text);
    if (parts.length > 2 || (second && !isSigned && second.kind !== 'string')) {
      return this.#lexer.fail('a value that is no literal', first?.at);
    }
    if (first?.kind === 'string') return textOf(first.text, this.#encoding);
    const word = isSigned ? `${first?.text ?? ''}${second?.text ?? ''}` : (first?.text ?? '');
    if (second && !isSigned) return this.#prefixed(word, second);
    if (/^0x/i.test(word)) return textOf(fromHex(word.slice(2)), this.#encoding);
    if (/^0b[01]+$/i.test(word)) return BigInt(word).toString();
    const upper = word.toUpperCase();
    if (upper === 'NULL') return null;
    if (upper === 'TRUE' || upper === 'FALSE') return upper.toLowerCase();
    if (/^[-+]?[\d.]/.test(word)) return word;
    return this.#lexer.fail(`a value that is no literal, ${word},`, first?.at);
  }

  #prefixed(prefix: string, { text, at }: SqlToken): Cell {
    if (/^x$/i.test(prefix)) return textOf(fromHex(text), this.#encoding);
    if (/^b$/i.test(prefix) && /^[01]*$/.test(text)) return BigInt(`0b${text || '0'}`).toString();
    if (/^[en]$/i.test(prefix)) return textOf(text, this.#encoding);
    const named = prefix.startsWith('_') ? encodingOf(prefix.slice(1)) : undefined;
    return named ? textOf(text, named) : this.#lexer.fail(`a text in the form ${prefix}'…', which is not read,`, at);
  }
}

function isMark(token: SqlToken, text: string): boolean {
  return token.kind === 'mark' && token.text === text;
}

/** An upper-case keyword; an empty text for anything else. */
function wordOf(token: SqlToken | undefined): string {
  return token?.kind === 'word' ? token.text.toUpperCase() : '';
}

function fromHex(digits: string): string {
  return Buffer.from(digits, 'hex').toString('latin1');
}

const copyEscapes: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

function copyText(field: string): string {
  if (!field.includes('\\')) return field;
  return field.replace(/\\(?:([0-7]{1,3})|x([0-9a-f]{1,2})|([\s\S]))/gi, (_all, octal, hex, character) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(String(octal), 8) & 0xff);
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(String(hex), 16));
    return copyEscapes[String(character)] ?? String(character);
  });
}
