import { expect } from 'vitest';
import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import { hang, type ScriptedReply } from '../fakes/fake-provider.ts';
import type { ProviderKind } from '../provider-kinds/provider-kind.ts';
import { firstWord, repeat, play, splitAnswer } from './replies.ts';
import type { Scene, SceneOptions } from './scene.ts';
import type { AnswerRecorder } from './answer-recorder.ts';

/** A moment at which a client may disconnect. At each one, the call ends at once and its connection is closed. */
export interface EarlyEnd {
  /** The state of the request at that moment. */
  readonly name: string;
  reply(kind: ProviderKind): ScriptedReply;
  readonly scene?: SceneOptions;
  /** Resolves at that moment. */
  moment(setting: Setting): Promise<unknown>;
  /** The text that has arrived by then. */
  readonly text: string;
}

export interface Setting {
  readonly stage: Scene;
  readonly recorder: AnswerRecorder;
  readonly opening: Promise<EventFlow>;
}

const connected = async ({ stage: { provider } }: Setting): Promise<void> => {
  await expect
    .poll(() => provider.connections.accepted, { interval: 1, message: 'the provider has a connection' })
    .toBeGreaterThan(0);
};

/** Before there is an answer. Only an abort can end the call. */
export const endsBeforeAnswer: readonly EarlyEnd[] = [
  {
    name: 'before the connection is established',
    reply: hang,
    // The provider has no TLS, so it never answers the handshake.
    scene: { changeUrl: (url) => url.replace('http:', 'https:') },
    moment: connected,
    text: '',
  },
  { name: 'before the provider answers', reply: hang, moment: ({ stage }) => stage.call.received, text: '' },
  {
    name: 'in the middle of the headers',
    reply: () => (writer) => writer.raw('HTTP/1.1 200 OK\r\nx-more'),
    moment: ({ stage }) => stage.call.finished,
    text: '',
  },
  {
    name: 'in the middle of a refusal',
    reply: () => async (writer) => {
      writer.head(400, { 'content-type': 'application/json' });
      await writer.body('{"error":');
    },
    moment: ({ stage }) => stage.call.finished,
    text: '',
  },
  {
    name: 'after the headers',
    reply: (kind) => play(kind, []),
    moment: ({ stage }) => stage.call.finished,
    text: '',
  },
];

/** During the answer. */
export const endsDuringAnswer: readonly EarlyEnd[] = [
  { name: 'before the first word', reply: (kind) => play(kind, []), moment: ({ opening }) => opening, text: '' },
  {
    name: 'in the middle of the first frame',
    reply: (kind) => play(kind, [firstWord(kind).subarray(0, 9)]),
    moment: ({ opening, stage }) => Promise.all([opening, stage.call.finished]),
    text: '',
  },
  {
    name: 'after the first word',
    reply: (kind) => play(kind, [firstWord(kind)]),
    moment: ({ recorder }) => recorder.waitUntil(({ text }) => text === 'Hel'),
    text: 'Hel',
  },
  {
    name: 'while the client is not reading',
    reply: (kind) => play(kind, [firstWord(kind), splitAnswer(kind).words[0] ?? '']),
    moment: async ({ recorder, opening }) => {
      await recorder.waitUntil(({ text }) => text.startsWith('Hel'));
      (await opening).pause();
    },
    text: 'Hel',
  },
  {
    name: 'while the provider sends without end',
    reply: (kind) => play(kind, [firstWord(kind), repeat(splitAnswer(kind).words[0] ?? Buffer.alloc(0))]),
    moment: ({ recorder }) => recorder.waitUntil(({ text }) => text.length > 30),
    text: 'Hel',
  },
];
