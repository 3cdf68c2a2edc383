import { json, type ScriptedReply, type ReplyWriter, raw, text } from '../fakes/fake-provider.ts';
import type { ProviderKind } from '../provider-kinds/provider-kind.ts';
import { brokenOff, complete, counts, type Fault, failed, words } from './fault.ts';
import { firstWord, play, rawResponse, answerBytes } from './replies.ts';

const mebibyte = 1024 * 1024;

function chunked(body: Buffer, extension = ''): Buffer {
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}${extension}\r\n`), body, Buffer.from('\r\n')]);
}

function withLength(kind: ProviderKind, length: number): ScriptedReply {
  return rawResponse(kind, `content-length: ${length}`, answerBytes(kind));
}

/** Responses that are not valid HTTP, or are not an answer despite their status. */
export const wireFaults: readonly Fault[] = [
  {
    name: 'has a length shorter than its body',
    reply: (kind) => withLength(kind, firstWord(kind).length),
    expected: () => brokenOff,
  },
  {
    name: 'has a length longer than its body',
    reply: (kind) => rawResponse(kind, 'content-length: 100000', firstWord(kind)),
    expected: () => brokenOff,
  },
  {
    name: 'has two lengths that differ',
    reply: (kind) => rawResponse(kind, 'content-length: 2\r\ncontent-length: 3', answerBytes(kind)),
    expected: () => failed,
  },
  {
    name: 'has a length and chunks',
    reply: (kind) => rawResponse(kind, 'content-length: 2\r\ntransfer-encoding: chunked', chunked(answerBytes(kind))),
    expected: () => failed,
  },
  {
    name: 'has broken chunks from the beginning',
    reply: (kind) => rawResponse(kind, 'transfer-encoding: chunked', 'zz\r\n'),
    expected: () => failed,
  },
  {
    name: 'has broken chunks after a good one',
    reply: (kind, { wordsArrived }) => play(kind, [firstWord(kind), wordsArrived, (writer) => writer.raw('zz\r\n')]),
    expected: () => brokenOff,
  },
  {
    name: 'compresses its answer without a request for it',
    reply: (kind) => rawResponse(kind, 'content-encoding: gzip', answerBytes(kind)),
    expected: () => failed,
  },
  { name: 'speaks another protocol', reply: () => raw('220 smtp.example ESMTP\r\n\r\n'), expected: () => failed },
  {
    name: 'switches to another protocol',
    reply: () => raw('HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n'),
    expected: () => failed,
  },
  {
    name: 'sends interim responses, extensions of chunks and trailers',
    reply: (kind) => async (writer) => {
      await writer.raw('HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n');
      await writer.raw(
        `HTTP/1.1 200 OK\r\nContent-Type: ${kind.contentType}\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\nX-A: 2\r\n\r\n`,
      );
      await writer.raw(chunked(answerBytes(kind), ';a=b'));
      await writer.raw('0\r\nx-sum: 1\r\n\r\n');
    },
    expected: () => complete,
  },
  {
    name: 'answers with a page',
    reply: () => text(200, 'text/html', '<!doctype html><h1>Welcome</h1>'),
    expected: () => failed,
  },
  { name: 'answers with nothing', reply: (kind) => text(200, kind.contentType, ''), expected: () => failed },
  { name: 'answers with an empty JSON body', reply: () => text(200, 'application/json', ''), expected: () => failed },
  {
    name: 'answers with half a JSON body',
    reply: () => text(200, 'application/json', '{"cho'),
    expected: () => failed,
  },
  { name: 'answers with unknown JSON', reply: () => json(200, { hello: 'world' }), expected: () => failed },
  {
    name: 'answers under another content type',
    reply: (kind) => text(200, 'text/plain', answerBytes(kind).toString('latin1')),
    expected: () => failed,
  },
  {
    name: 'answers under no content type',
    reply: (kind) => async (writer) => {
      await writer.raw('HTTP/1.1 200 OK\r\n\r\n');
      await writer.raw(answerBytes(kind));
      writer.cut();
    },
    expected: () => failed,
  },
  {
    name: 'answers with one JSON body instead of a stream',
    reply: (kind) => json(200, kind.jsonBody?.(words.join(''), counts) ?? { answer: words.join('') }),
    expected: () => ({ ...complete, usage: { promptTokens: 7, completionTokens: 2 } }),
  },
  {
    name: 'answers with an error as one JSON body',
    reply: () => json(200, { error: { message: 'busy', type: 'server_error', code: 503 } }),
    expected: () => failed,
  },
  {
    name: 'answers with a JSON body without end',
    isLarge: true,
    reply: () => async (writer) => {
      writer.head(200, { 'content-type': 'application/json' });
      await flood(writer, 40);
    },
    expected: () => failed,
  },
  ...[201, 204, 206, 300, 304, 307].map(
    (status): Fault => ({
      name: `sends an answer with status ${status}`,
      reply: (kind) => async (writer) => {
        writer.head(status, { 'content-type': kind.contentType, location: 'http://127.0.0.1:1/' });
        if (status !== 204 && status !== 304) await writer.body(answerBytes(kind));
        writer.end();
      },
      expected: () => ({ ...failed, status }),
    }),
  ),
];

async function flood(writer: ReplyWriter, mebibytes: number): Promise<void> {
  const piece = ' '.repeat(mebibyte);
  for (let count = 0; count < mebibytes && !writer.isClosed; count += 1) await writer.body(piece);
}
