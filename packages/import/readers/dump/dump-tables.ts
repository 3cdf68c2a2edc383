import { createReadStream } from 'node:fs';
import type { Row, TableReader } from '../../table-reader.ts';
import { type DumpedTable, DumpParser } from './dump-parser.ts';
import type { TextEncoding } from './dump-text.ts';
import type { SqlDialect } from './sql-lexer.ts';

/** The result of the first reading of a dump. */
interface DumpIndex {
  readonly tables: ReadonlyMap<string, DumpedTable>;
  readonly encoding: TextEncoding;
}

/**
 * The tables of a dump in a file. The first reading finds where the rows of each table are; the rows of a table are then
 * read from there. A chunk of the file and its rows are in memory.
 */
export function dumpTables(file: string, dialect: SqlDialect, start = 0): TableReader {
  let index: Promise<DumpIndex> | undefined;
  const indexed = (): Promise<DumpIndex> => (index ??= readIndex(file, dialect, start));
  return {
    label: dialect === 'mysql' ? `the MySQL dump ${file}` : `the PostgreSQL dump ${file}`,
    tables: async () => [...(await indexed()).tables.keys()],
    columns: async (table) => (await indexed()).tables.get(table)?.columns ?? [],
    async *rows(table) {
      const { tables, encoding } = await indexed();
      const { begin, end = 0 } = tables.get(table) ?? {};
      if (begin === undefined) return;
      const parser = new DumpParser({ dialect, wanted: table, tables, encoding, start: begin });
      yield* rowsOf(parser, createReadStream(file, { start: begin, end }));
    },
    close: () => Promise.resolve(),
  };
}

async function readIndex(file: string, dialect: SqlDialect, start: number): Promise<DumpIndex> {
  const parser = new DumpParser({ dialect, start });
  for await (const row of rowsOf(parser, createReadStream(file, { start }))) void row;
  return { tables: parser.tables, encoding: parser.encoding };
}

async function* rowsOf(parser: DumpParser, chunks: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  for await (const chunk of chunks) yield* parser.push(chunk);
  yield* parser.end();
}
