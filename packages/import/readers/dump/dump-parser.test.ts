import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeep } from '../../../../test/depth.ts';
import type { Row } from '../../table-reader.ts';
import { DumpParser } from './dump-parser.ts';
import type { SqlDialect } from './sql-lexer.ts';

const runs = { numRuns: isDeep ? 2000 : 150 };

/** The rows of a dump that arrives in pieces of these lengths, over and over. */
function rowsOf(
  text: string,
  wanted: string,
  dialect: SqlDialect = 'mysql',
  lengths: readonly number[] = [65_536],
): Row[] {
  const bytes = Buffer.from(text);
  const parser = new DumpParser({ dialect, wanted });
  const rows: Row[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    rows.push(...parser.push(bytes.subarray(at, at + length)));
    at += length;
  }
  rows.push(...parser.end());
  return rows;
}

const mysqlDump = String.raw`/*M!999999\- enable the sandbox mode */
-- MariaDB dump 10.19  Distrib 10.11.6-MariaDB
--
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!50503 SET NAMES utf8mb4 */;
DROP TABLE IF EXISTS ${'`tokens`'};
/*!40101 SET @saved_cs_client     = @@character_set_client */;
CREATE TABLE ${'`tokens`'} (
  ${'`id`'} bigint NOT NULL AUTO_INCREMENT,
  ${'`key`'} char(48) DEFAULT NULL COMMENT 'with '' and ; and (',
  ${'`remain_quota`'} bigint DEFAULT '0',
  ${'`group`'} varchar(64) DEFAULT (_utf8mb4'x'),
  PRIMARY KEY (${'`id`'}),
  UNIQUE KEY ${'`idx_tokens_key`'} (${'`key`'})
) ENGINE=InnoDB /*!50100 PARTITION BY KEY (id) */;
LOCK TABLES ${'`tokens`'} WRITE;
/*!40000 ALTER TABLE ${'`tokens`'} DISABLE KEYS */;
INSERT INTO ${'`logs`'} VALUES (1,'not ); INSERT INTO ${'`tokens`'} VALUES (9,''x'',1,2);');
INSERT INTO ${'`tokens`'} VALUES (1,'a\'b\\',-9007199254740993,NULL),(2,'line\nbreak
tab\t\0\Z\%\_\q',1.5e+3,''),
(3,0x414243,TRUE,_binary 'é'),(4,X'C3A9',b'101',"it''s ""q""");
REPLACE INTO ${'`db`.`tokens`'} (${'`key`'}, id) VALUES ('only two',5) ON DUPLICATE KEY UPDATE id = 6;
/*!40000 ALTER TABLE ${'`tokens`'} ENABLE KEYS */;
UNLOCK TABLES;
DELIMITER ;;
/*!50003 CREATE*/ /*!50003 TRIGGER t AFTER INSERT ON tokens FOR EACH ROW BEGIN
  INSERT INTO tokens VALUES (7,'trigger',0,''); INSERT INTO tokens VALUES (8,'it''s',0,'');
END */;;
DELIMITER ;
# a comment; INSERT INTO tokens VALUES (1);
INSERT INTO tokens VALUES (10,'last',0,'x')
`;

const mysqlRows = [
  { id: '1', key: "a'b\\", remain_quota: '-9007199254740993', group: null },
  { id: '2', key: 'line\nbreak\ntab\t\0\x1a\\%\\_q', remain_quota: '1.5e+3', group: '' },
  { id: '3', key: 'ABC', remain_quota: 'true', group: 'é' },
  { id: '4', key: 'é', remain_quota: '5', group: 'it\'\'s "q"' },
  { key: 'only two', id: '5' },
];

test('a dump of MySQL gives the rows of its INSERT and REPLACE statements', () => {
  const text = `${mysqlDump.trimEnd()};`;
  expect(rowsOf(text, 'tokens')).toEqual([...mysqlRows, { id: '10', key: 'last', remain_quota: '0', group: 'x' }]);
});

const postgresDump = String.raw`--
-- PostgreSQL database dump
--
\restrict abc'def
SET client_encoding = 'UTF8';
SELECT pg_catalog.set_config('search_path', '', false);
CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $tag$ BEGIN INSERT INTO public.users VALUES (9); END; $tag$;
CREATE TABLE public.users (
    id bigint NOT NULL,
    "group" text DEFAULT 'default'::text,
    quota bigint DEFAULT 0,
    CONSTRAINT users_check CHECK ((quota > 0))
);
COPY public.logs (id) FROM stdin;
1
\.
COPY public.users (id, "group", quota) FROM stdin;
1	vip\tand\\more\nlines	-5
2	\N	\x37
3		0
\.
INSERT INTO public.users VALUES (4, 'back\slash ''quoted''', 1);
INSERT INTO public.users (quota, id) OVERRIDING SYSTEM VALUE VALUES (7, 5), (8, 6);
INSERT INTO public.users VALUES (7, E'tab\there', NULL);
\unrestrict abc'def
`;

const postgresRows = [
  { id: '1', group: 'vip\tand\\more\nlines', quota: '-5' },
  { id: '2', group: null, quota: '7' },
  { id: '3', group: '', quota: '0' },
  { id: '4', group: "back\\slash 'quoted'", quota: '1' },
  { quota: '7', id: '5' },
  { quota: '8', id: '6' },
  { id: '7', group: 'tab\there', quota: null },
];

test('a dump of PostgreSQL gives the rows of its COPY blocks and INSERT statements', () => {
  expect(rowsOf(postgresDump, 'users', 'postgres')).toEqual(postgresRows);
});

const lengths = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 20 });

test('a dump gives the same rows in chunks of any lengths', () => {
  fc.assert(
    fc.property(lengths, (sizes) => {
      expect(rowsOf(`${mysqlDump.trimEnd()};`, 'tokens', 'mysql', sizes)).toHaveLength(mysqlRows.length + 1);
      expect(rowsOf(postgresDump, 'users', 'postgres', sizes)).toEqual(postgresRows);
    }),
    runs,
  );
});

const cell = fc.oneof(
  fc.constant(null),
  fc.string({ unit: 'binary', maxLength: 30 }).filter((text) => text.isWellFormed()),
  fc.string({ unit: fc.constantFrom(...`'"\\\`;,()-#/*\n\r\t%_$\0NeE`), maxLength: 30 }),
);
const table = fc.array(fc.tuple(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), cell, cell), { maxLength: 12 });

test('any values come back from a dump of MySQL', () => {
  fc.assert(
    fc.property(table, lengths, (rows, sizes) => {
      const tuples = rows.map((row) => `(${row.map((value) => mysqlLiteral(value)).join(',')})`);
      const create = 'CREATE TABLE `t` (\n  `a` bigint,\n  `b` text,\n  `key` longtext\n);\n';
      const insert = tuples.length > 0 ? `INSERT INTO \`t\` VALUES ${tuples.join(',')};\n` : '';
      expect(rowsOf(create + insert, 't', 'mysql', sizes)).toEqual(
        rows.map(([a, b, key]) => ({ a: String(a), b, key })),
      );
    }),
    runs,
  );
});

test('any values come back from a dump of PostgreSQL', () => {
  fc.assert(
    fc.property(table, lengths, fc.boolean(), (made, sizes, isCopy) => {
      // PostgreSQL stores no zero bytes.
      const rows = made.map(
        ([a, b, key]) => [a, b?.replaceAll('\0', '') ?? null, key?.replaceAll('\0', '') ?? null] as const,
      );
      const lines = rows.map((row) => `${row.map((value) => copyField(value)).join('\t')}\n`);
      const inserts = rows.map(
        (row) => `INSERT INTO public.t VALUES (${row.map((value) => postgresLiteral(value)).join(', ')});\n`,
      );
      const create = 'CREATE TABLE public.t (\n    a bigint,\n    b text,\n    "key" text\n);\n';
      const copy = `COPY public.t (a, b, "key") FROM stdin;\n${lines.join('')}\\.\n`;
      const text = create + (isCopy ? copy : inserts.join(''));
      expect(rowsOf(text, 't', 'postgres', sizes)).toEqual(rows.map(([a, b, key]) => ({ a: String(a), b, key })));
    }),
    runs,
  );
});

test.each([
  ['INSERT INTO `t` (`a`) VALUES (1,2);', '2 values for 1 columns'],
  ['INSERT INTO `t` (`a`) VALUES (now());', 'a value that is no literal'],
  ['INSERT INTO `t` (`a`) VALUES (current_user);', 'no literal, current_user,'],
  ["INSERT INTO `t` (`a`) VALUES ('never ends", 'an unfinished text'],
  ['SET NAMES gbk;', 'the character set gbk'],
  ['CREATE TABLE `t` (`a` int);CREATE TABLE `t` (`b` int);', 'two tables named "t"'],
])('a dump that cannot be read names the place: %s', (text, problem) => {
  expect(() => rowsOf(text, 't')).toThrow(problem);
});

function mysqlLiteral(value: string | bigint | null): string {
  if (value === null) return 'NULL';
  if (typeof value === 'bigint') return String(value);
  const escapes: Readonly<Record<string, string>> = {
    '\0': '\\0',
    '\n': '\\n',
    '\r': '\\r',
    '\x1a': '\\Z',
    "'": "\\'",
    '"': '\\"',
    '\\': '\\\\',
  };
  // oxlint-disable-next-line no-control-regex -- what mysqldump escapes
  return `'${value.replace(/[\0\n\r\x1a'"\\]/g, (character) => escapes[character] ?? character)}'`;
}

function postgresLiteral(value: string | bigint | null): string {
  if (value === null) return 'NULL';
  return typeof value === 'bigint' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

function copyField(value: string | bigint | null): string {
  if (value === null) return '\\N';
  const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };
  return String(value).replace(/[\n\r\t\\]/g, (character) => escapes[character] ?? character);
}
