import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { ReplyTarget } from '../replies/reply-reader.ts';
import { comment, type EventLog } from 'chat-formats/responses/answer/event-log.ts';
import { framesSoFar } from 'chat-formats/responses/answer/replay.ts';
import type { WireObject } from 'chat-formats/wire-value.ts';
import type { EventStreamWriter } from '../../http/exchange.ts';

const followersMax = 16;
/** A follower that is behind by more characters is disconnected. */
const behindCharactersMax = 1024 * 1024;

interface InFlightResponse {
  readonly accountId: string;
  /** The attempt that generates it. */
  readonly requestId: string;
  /** The input items, each with the id that it will be stored under. */
  readonly input: readonly WireObject[];
  readonly soFar: { readonly response: WireObject; readonly score: EventLog | undefined };
}

interface Follower {
  readonly writer: EventStreamWriter;
  readonly bounded: BoundedWriter;
  /** Number of upcoming events that the follower has already received elsewhere. */
  seen: number;
  readonly leave: () => void;
}

/** Writes to a follower at its own pace, up to a limit. */
export class BoundedWriter {
  readonly #writer: Pick<EventStreamWriter, 'write'>;
  readonly #cut: () => void;
  #behindCharacters = 0;

  constructor(writer: Pick<EventStreamWriter, 'write' | 'onDrain'>, cut: () => void) {
    this.#writer = writer;
    this.#cut = cut;
    writer.onDrain(() => {
      this.#behindCharacters = 0;
    });
  }

  write(frames: string): void {
    if (this.#writer.write(frames)) return;
    this.#behindCharacters += frames.length;
    if (this.#behindCharacters > behindCharactersMax) this.#cut();
  }
}

/** The in-flight responses of this process that will be stored. They can be read and followed before they are stored. */
export class InFlightResponses {
  readonly #all = new Map<string, { readonly response: InFlightResponse; readonly followers: Set<Follower> }>();

  /** Called with the id of each response that begins. */
  onAdd: (id: string) => void = () => {};

  add(id: string, response: InFlightResponse): void {
    if (this.#all.has(id)) return;
    this.#all.set(id, { response, followers: new Set() });
    this.onAdd(id);
  }

  has(id: string): boolean {
    return this.#all.has(id);
  }

  /** Returns undefined for a response of another account. */
  find(accountId: string, id: string): InFlightResponse | undefined {
    const response = this.#all.get(id)?.response;
    return response?.accountId === accountId ? response : undefined;
  }

  send(id: string, frames: string): void {
    const followers = frames === '' ? undefined : this.#all.get(id)?.followers;
    for (const follower of followers ?? []) follower.bounded.write(unseenOf(follower, frames));
  }

  /** The response has ended. Followers receive the last frames. */
  remove(id: string, lastFrames: () => string): void {
    const followers = this.#all.get(id)?.followers;
    this.#all.delete(id);
    if (!followers || followers.size === 0) return;
    const last = lastFrames();
    for (const follower of followers) {
      follower.writer.end(unseenOf(follower, last));
      follower.leave();
    }
  }

  /** Sends the frames so far, then live ones. Resolves when the response ends or the follower leaves. */
  follow(id: string, target: Pick<ReplyTarget, 'gone' | 'openEventStream'>, startingAfter = -1): Promise<void> {
    const entry = this.#all.get(id);
    if (!entry) return Promise.resolve();
    if (entry.followers.size >= followersMax) throw tooMany();
    const { response, score = [] } = entry.response.soFar;
    const writer = target.openEventStream();
    return new Promise((resolve) => {
      const seen = Math.max(0, startingAfter + 1 - score.length);
      const bounded = new BoundedWriter(writer, () => writer.destroy());
      const follower: Follower = { writer, bounded, seen, leave: resolve };
      entry.followers.add(follower);
      target.gone.addEventListener('abort', () => {
        entry.followers.delete(follower);
        resolve();
      });
      // A follower that has received everything gets a comment, so that the stream opens at once.
      writer.write(framesSoFar(response, score, startingAfter) || comment);
    });
  }
}

function unseenOf(follower: Follower, frames: string): string {
  if (follower.seen === 0) return frames;
  const unseen = withoutEvents(frames, follower.seen);
  follower.seen = Math.max(0, follower.seen - eventsIn(frames));
  return unseen;
}

/** The number of events in frames: comments are none. */
export function eventsIn(frames: string): number {
  return frames.match(/^event: /gm)?.length ?? 0;
}

/** The frames without their first events. */
export function withoutEvents(frames: string, count: number): string {
  if (count <= 0) return frames;
  let left = count;
  return frames
    .split(/(?<=\n\n)/)
    .filter((frame) => {
      const isDropped = left > 0 && frame.startsWith('event: ');
      if (isDropped) left -= 1;
      return !isDropped;
    })
    .join('');
}

function tooMany(): GatewayError {
  return new GatewayError('invalid-request', {
    detail: `${followersMax} clients already follow this response: request it again when it is complete.`,
  });
}
