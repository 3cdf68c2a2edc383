import { readFileSync } from 'node:fs';
import { hang, type ReplyWriter, reset as resetAtOnce } from '../fakes/fake-provider.ts';
import { brokenOff, complete, type Fault, failed, timedOut } from './fault.ts';
import { cut, end, firstWord, repeat, play, reset, splitAnswer, answerBytes } from './replies.ts';
import { type SceneOptions, timeouts } from './scene.ts';

function pem(name: string): string {
  return readFileSync(new URL(`../fixtures/upstreams/http1/${name}.pem`, import.meta.url), 'utf8');
}

/** A provider with this certificate, which the upstream trusts. */
function withTrusted(certificate: string): SceneOptions {
  return { tls: { key: pem('localhost-key'), cert: pem(certificate) }, trusts: pem(certificate) };
}

const silence = (): void => {};

/** Not a valid host name, since its first label is too long. So it is unknown at once, without a DNS query. */
const noName = `${'x'.repeat(64)}.invalid`;

/** Faults of connections, before and during the answer. */
export const connectionFaults: readonly Fault[] = [
  { name: 'has gone', reply: hang, scene: { isGone: true }, expected: () => failed },
  {
    name: 'has no address',
    reply: hang,
    scene: { changeUrl: () => `http://${noName}/v1` },
    expected: () => failed,
  },
  {
    name: 'has no address for TLS',
    reply: hang,
    scene: { changeUrl: () => `https://${noName}/v1` },
    expected: () => failed,
  },
  {
    name: 'has an untrusted certificate',
    reply: hang,
    scene: { tls: { key: pem('localhost-key'), cert: pem('localhost-cert') } },
    expected: () => failed,
  },
  {
    name: 'has an expired certificate',
    reply: hang,
    scene: withTrusted('expired-cert'),
    expected: () => failed,
  },
  {
    name: 'has a certificate for another name',
    reply: hang,
    scene: withTrusted('other-cert'),
    expected: () => failed,
  },
  {
    name: 'has a certificate that the operator trusts',
    reply: (kind) => play(kind, [answerBytes(kind), end]),
    scene: withTrusted('localhost-cert'),
    expected: () => complete,
  },
  {
    name: 'closes the connection mid-answer without a TLS close notification',
    reply: (kind, { wordsArrived }) => play(kind, [firstWord(kind), wordsArrived, (writer) => writer.drop()]),
    scene: withTrusted('localhost-cert'),
    expected: () => brokenOff,
  },
  {
    name: 'takes too long to accept a connection',
    reply: hang,
    // The provider has no TLS, so it never answers the handshake.
    scene: { changeUrl: (url) => url.replace('http:', 'https:') },
    timeoutMs: timeouts.connect,
    expected: () => timedOut,
  },
  { name: 'breaks the connection instead of answering', reply: resetAtOnce, expected: () => failed },
  { name: 'closes the connection instead of answering', reply: () => (writer) => writer.cut(), expected: () => failed },
  { name: 'sends nothing', reply: () => silence, timeoutMs: timeouts.first_event, expected: () => timedOut },
  {
    name: 'stops in the middle of its headers',
    reply: (kind) => (writer) => writer.raw(`HTTP/1.1 200 OK\r\ncontent-type: ${kind.contentType}\r\nx-more`),
    timeoutMs: timeouts.first_event,
    expected: () => timedOut,
  },
  { name: 'has headers without end', reply: () => endlessHeaders, expected: () => failed },
  { name: 'breaks the connection after its headers', reply: (kind) => play(kind, [reset]), expected: () => failed },
  { name: 'closes the connection after its headers', reply: (kind) => play(kind, [cut]), expected: () => failed },
  {
    name: 'sends nothing after its headers',
    reply: (kind) => play(kind, []),
    timeoutMs: timeouts.first_event,
    expected: () => timedOut,
  },
  {
    name: 'stops in the middle of its first frame',
    reply: (kind) => play(kind, [firstWord(kind).subarray(0, 9)]),
    timeoutMs: timeouts.first_event,
    expected: () => timedOut,
  },
  {
    name: 'breaks the connection in the middle of its answer',
    reply: (kind, { wordsArrived }) => play(kind, [firstWord(kind), wordsArrived, reset]),
    expected: () => brokenOff,
  },
  {
    name: 'closes the connection in the middle of its answer',
    reply: (kind, { wordsArrived }) => play(kind, [firstWord(kind), wordsArrived, cut]),
    expected: () => brokenOff,
  },
  {
    name: 'closes the connection in the middle of a frame',
    reply: (kind, { wordsArrived }) =>
      play(kind, [firstWord(kind), wordsArrived, splitAnswer(kind).words[1]?.subarray(0, 20) ?? '', cut], {
        connection: 'close',
      }),
    expected: () => brokenOff,
  },
  {
    name: 'ends its body before its answer',
    reply: (kind) => play(kind, [firstWord(kind), end]),
    expected: () => brokenOff,
  },
  { name: 'ends its body before any event', reply: (kind) => play(kind, [end]), expected: () => failed },
  {
    name: 'stops in the middle of its answer',
    reply: (kind) => play(kind, [firstWord(kind)]),
    timeoutMs: timeouts.idle,
    expected: () => ({ ...timedOut, text: 'Hel' }),
  },
  {
    name: 'stops in the middle of a frame',
    reply: (kind) => play(kind, [firstWord(kind), splitAnswer(kind).words[1]?.subarray(0, 20) ?? '']),
    timeoutMs: timeouts.idle,
    expected: () => ({ ...timedOut, text: 'Hel' }),
  },
  {
    name: 'continues with nothing but keep-alive comments',
    reply: (kind) => play(kind, [firstWord(kind), repeat(kind.sign ?? Buffer.alloc(0))]),
    timeoutMs: timeouts.idle,
    expected: () => ({ ...timedOut, text: 'Hel' }),
  },
  {
    name: 'answers without end',
    reply: (kind) => play(kind, [firstWord(kind), repeat(splitAnswer(kind).words[0] ?? Buffer.alloc(0))]),
    timeoutMs: timeouts.total,
    keepsSending: true,
    expected: () => ({ ...timedOut, text: 'Hel' }),
  },
  {
    name: 'closes the connection after its complete answer',
    reply: (kind) => {
      const { begin, words, finish } = splitAnswer(kind);
      return play(kind, [begin, ...words, finish, cut], { connection: 'close' });
    },
    expected: () => complete,
  },
  {
    name: 'never ends its body, though its answer is complete',
    reply: (kind) => {
      const { begin, words, finish, end: mark } = splitAnswer(kind);
      return play(kind, [begin, ...words, finish, mark]);
    },
    expected: () => complete,
  },
];

async function endlessHeaders(writer: ReplyWriter): Promise<void> {
  await writer.raw('HTTP/1.1 200 OK\r\n');
  while (!writer.isClosed) await writer.raw(`x-more: ${'x'.repeat(1000)}\r\n`);
}
