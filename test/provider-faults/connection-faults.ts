import { readFileSync } from 'node:fs';
import { hang, type ReplyWriter, reset as resetAtOnce } from '../fake-provider.ts';
import { brokenOff, complete, type Fault, failed, timedOut } from './fault.ts';
import { cut, end, firstWord, overAndOver, play, reset, speech, wholeSpeech } from './replies.ts';
import { type SceneOptions, timeouts } from './scene.ts';

function pem(name: string): string {
  return readFileSync(new URL(`../../src/upstreams/http1/fixtures/${name}.pem`, import.meta.url), 'utf8');
}

/** What is wrong with this certificate is not that nobody knows it. */
function vouchedFor(certificate: string): SceneOptions {
  return { tls: { key: pem('localhost-key'), cert: pem(certificate) }, trusts: pem(certificate) };
}

const silence = (): void => {};

/** No name at all, since its first part is too long: so it is unknown at once, without asking any server for it. */
const noName = `${'x'.repeat(64)}.invalid`;

/** What happens to connections, before there is an answer and during it. */
export const connectionFaults: readonly Fault[] = [
  { name: 'has gone', reply: hang, scene: { isGone: true }, expected: () => failed },
  {
    name: 'has no address',
    reply: hang,
    scene: { addressed: () => `http://${noName}/v1` },
    expected: () => failed,
  },
  {
    name: 'has no address for TLS',
    reply: hang,
    scene: { addressed: () => `https://${noName}/v1` },
    expected: () => failed,
  },
  {
    name: 'has a certificate nobody vouches for',
    reply: hang,
    scene: { tls: { key: pem('localhost-key'), cert: pem('localhost-cert') } },
    expected: () => failed,
  },
  {
    name: 'has a certificate that has expired',
    reply: hang,
    scene: vouchedFor('expired-cert'),
    expected: () => failed,
  },
  {
    name: 'has a certificate for another name',
    reply: hang,
    scene: vouchedFor('other-cert'),
    expected: () => failed,
  },
  {
    name: 'has a certificate that the operator vouches for',
    reply: (kind) => play(kind, [wholeSpeech(kind), end]),
    scene: vouchedFor('localhost-cert'),
    expected: () => complete,
  },
  {
    name: 'ends TLS in the middle of a sentence without taking leave',
    reply: (kind, { heard }) => play(kind, [firstWord(kind), heard, (writer) => writer.drop()]),
    scene: vouchedFor('localhost-cert'),
    expected: () => brokenOff,
  },
  {
    name: 'takes too long to accept a connection',
    reply: hang,
    // Nobody answers the greeting of TLS here.
    scene: { addressed: (url) => url.replace('http:', 'https:') },
    borneMs: timeouts.connect,
    expected: () => timedOut,
  },
  { name: 'breaks the connection instead of answering', reply: resetAtOnce, expected: () => failed },
  { name: 'closes the connection instead of answering', reply: () => (writer) => writer.cut(), expected: () => failed },
  { name: 'says nothing', reply: () => silence, borneMs: timeouts.first_event, expected: () => timedOut },
  {
    name: 'stops in the middle of its headers',
    reply: (kind) => (writer) => writer.raw(`HTTP/1.1 200 OK\r\ncontent-type: ${kind.contentType}\r\nx-more`),
    borneMs: timeouts.first_event,
    expected: () => timedOut,
  },
  { name: 'has headers without end', reply: () => endlessHeaders, expected: () => failed },
  { name: 'breaks the connection behind its headers', reply: (kind) => play(kind, [reset]), expected: () => failed },
  { name: 'closes the connection behind its headers', reply: (kind) => play(kind, [cut]), expected: () => failed },
  {
    name: 'says nothing behind its headers',
    reply: (kind) => play(kind, []),
    borneMs: timeouts.first_event,
    expected: () => timedOut,
  },
  {
    name: 'stops in the middle of its first frame',
    reply: (kind) => play(kind, [firstWord(kind).subarray(0, 9)]),
    borneMs: timeouts.first_event,
    expected: () => timedOut,
  },
  {
    name: 'breaks the connection in the middle of its answer',
    reply: (kind, { heard }) => play(kind, [firstWord(kind), heard, reset]),
    expected: () => brokenOff,
  },
  {
    name: 'closes the connection in the middle of its answer',
    reply: (kind, { heard }) => play(kind, [firstWord(kind), heard, cut]),
    expected: () => brokenOff,
  },
  {
    name: 'closes the connection in the middle of a frame',
    reply: (kind, { heard }) =>
      play(kind, [firstWord(kind), heard, speech(kind).words[1]?.subarray(0, 20) ?? '', cut], { connection: 'close' }),
    expected: () => brokenOff,
  },
  {
    name: 'ends its body before its answer',
    reply: (kind) => play(kind, [firstWord(kind), end]),
    expected: () => brokenOff,
  },
  { name: 'ends its body before it says anything', reply: (kind) => play(kind, [end]), expected: () => failed },
  {
    name: 'stops in the middle of its answer',
    reply: (kind) => play(kind, [firstWord(kind)]),
    borneMs: timeouts.idle,
    expected: () => ({ ...timedOut, text: 'Hel' }),
  },
  {
    name: 'stops in the middle of a frame',
    reply: (kind) => play(kind, [firstWord(kind), speech(kind).words[1]?.subarray(0, 20) ?? '']),
    borneMs: timeouts.idle,
    expected: () => ({ ...timedOut, text: 'Hel' }),
  },
  {
    name: 'goes on with nothing but signs that the connection stands',
    reply: (kind) => play(kind, [firstWord(kind), overAndOver(kind.sign ?? Buffer.alloc(0))]),
    borneMs: timeouts.idle,
    expected: () => ({ ...timedOut, text: 'Hel' }),
  },
  {
    name: 'answers without end',
    reply: (kind) => play(kind, [firstWord(kind), overAndOver(speech(kind).words[0] ?? Buffer.alloc(0))]),
    borneMs: timeouts.total,
    isTalking: true,
    expected: () => ({ ...timedOut, text: 'Hel' }),
  },
  {
    name: 'closes the connection once it has said all there is to say',
    reply: (kind) => {
      const { begin, words, finish } = speech(kind);
      return play(kind, [begin, ...words, finish, cut], { connection: 'close' });
    },
    expected: () => complete,
  },
  {
    name: 'never ends its body, though its answer is complete',
    reply: (kind) => {
      const { begin, words, finish, end: mark } = speech(kind);
      return play(kind, [begin, ...words, finish, mark]);
    },
    expected: () => complete,
  },
];

async function endlessHeaders(writer: ReplyWriter): Promise<void> {
  await writer.raw('HTTP/1.1 200 OK\r\n');
  while (!writer.isClosed) await writer.raw(`x-more: ${'x'.repeat(1000)}\r\n`);
}
