import { afterEach } from 'vitest';
import type { ChatRequest } from '../../src/core/chat/chat-request.ts';
import type { Clock } from '../../src/core/time/clock.ts';
import type { EventFlow } from '../../src/core/chat/event-flow.ts';
import { chatRequest, type CollectedAnswer, readAnswer } from '../call-upstream.ts';
import type { ScriptedReply } from '../fakes/fake-provider.ts';
import { type FakeCloud, fakeCloud, inPieces } from './fake-cloud.ts';
import type { Recordings } from './recording.ts';

const closing: FakeCloud[] = [];
afterEach(async () => {
  for (const cloud of closing.splice(0)) await cloud.close();
});

/** A fake cloud that is closed after the test. `changes` overrides settings of its entry, given its address. */
export async function cloudOf(
  recordings: Recordings,
  changes: (address: string) => Record<string, unknown> = () => ({}),
  clock?: Clock,
): Promise<FakeCloud> {
  const cloud = await fakeCloud(recordings, changes, clock);
  closing.push(cloud);
  return cloud;
}

interface CallOptions {
  readonly request?: ChatRequest;
  readonly thinking?: boolean;
  readonly signal?: AbortSignal;
  readonly model?: string;
  readonly credential?: number;
}

export function open(cloud: FakeCloud, recordings: Recordings, options: CallOptions = {}): Promise<EventFlow> {
  const { request = chatRequest(), thinking = false, signal = new AbortController().signal } = options;
  const { model = recordings.model, credential = 0 } = options;
  return cloud.upstream.open({ model, credential, thinking, request }, signal);
}

export async function callCloud(
  cloud: FakeCloud,
  recordings: Recordings,
  options: CallOptions = {},
): Promise<CollectedAnswer> {
  return readAnswer(await open(cloud, recordings, options));
}

export function refusalOf(opening: Promise<unknown>): Promise<unknown> {
  return opening.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** The recorded answer of the `plain` scenario. */
export function plain({ scenarios: { plain: recording }, contentType }: Recordings): ScriptedReply {
  return inPieces(recording.bytes, contentType, []);
}
