import { performance } from 'node:perf_hooks';
import { MarkupReader } from 'chat-formats/markup/markup-reader.ts';
import { allTools, optionsFor, pieces } from '../test/fixtures/dialects/markup/read-markup.ts';
import { marks } from '../test/fixtures/dialects/markup/marker-soup.ts';

/** Characters in each text. Each text is read in pieces, as a provider sends them. */
const length = 4_000_000;
const pieceLength = 24;
const rounds = 5;

const sentence = 'The tide turns at ten past two, and the ferry leaves an hour later — or so they say. ';
const markdown = 'See [the table](#tides): the ferry leaves when `depth < 3`, **not** before. ';
const code = 'for (const row of rows) if (row.a < row.b && row["c"] >= 0) { list[row.id] = `<b>${row.a}</b>`; }\n';
const call =
  '<tool_call>\n{"name": "write_note", "arguments": {"title": "t", "body": "some words and more words"}}\n</tool_call>\n';

const texts: readonly (readonly [string, string])[] = [
  ['prose', filled(sentence)],
  ['markdown', filled(markdown)],
  ['code', filled(code)],
  ['tool calls', filled(call)],
  ['marker soup', filled(marks.join(' {"name": "x '))],
  ['only <', filled('<')],
];

console.log(`${allTools.length} tools offered, pieces of ${pieceLength} characters, best of ${rounds} rounds`);
console.log('text          read     passed   bare scan   read / scan');
for (const [name, text] of texts) {
  const cut = pieces(text, pieceLength);
  const payloads = cut.map((content) => JSON.stringify({ choices: [{ index: 0, delta: { content } }] }));
  const read = best(() => readAll(cut, false));
  const passed = best(() => readAll(cut, true));
  const scan = best(() => scanAll(payloads));
  const row = [rate(read), rate(passed), rate(scan)].map((figure) => `${figure.toFixed(0)} MB/s`.padStart(10));
  console.log(`${name.padEnd(12)}${row.join('')}   ${(read / scan).toFixed(2)}`);
}

/** Reads every piece. With `passes` it reads only pieces that may contain markup, as the stream decoder does. */
function readAll(cut: readonly string[], passes: boolean): void {
  const reader = new MarkupReader(optionsFor());
  for (const piece of cut) if (!passes || !reader.passes(piece, 'content')) reader.push(piece, 'content');
  reader.end('stop');
}

/** The lower bound for the same text: parse the chunk that contains it and search for one character. */
function scanAll(payloads: readonly string[]): number {
  let found = 0;
  for (const payload of payloads) {
    const chunk: { choices: { delta: { content: string } }[] } = JSON.parse(payload);
    found += chunk.choices[0]?.delta.content.indexOf('<') ?? 0;
  }
  return found;
}

function best(work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    work();
    least = Math.min(least, performance.now() - began);
  }
  return least;
}

function rate(ms: number): number {
  return length / 1000 / ms;
}

function filled(unit: string): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}
