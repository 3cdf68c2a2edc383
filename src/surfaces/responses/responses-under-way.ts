import { GatewayError } from '../../core/gateway-error.ts';
import { comment } from '../../dialects/responses/event-frames.ts';
import { toldFrames } from '../../dialects/responses/replay.ts';
import type { Score } from '../../dialects/responses/score.ts';
import type { WireObject } from '../../dialects/wire-value.ts';
import type { EventStreamWriter, Exchange } from '../../http/exchange.ts';

/** So many may follow one response. */
const followersMax = 16;
/** A follower that is behind by more than so many characters is cut off. */
const behindCharactersMax = 1024 * 1024;

/** A response that is being made, as those see it who know its id. */
export interface ResponseUnderWay {
  readonly accountId: string;
  /** What it was asked, each item with the id it will be kept with. */
  readonly input: readonly WireObject[];
  readonly soFar: { readonly response: WireObject; readonly score: Score | undefined };
}

interface Follower {
  readonly writer: EventStreamWriter;
  /** So many events that are still to come were seen elsewhere. */
  seen: number;
  /** Written and not taken yet, as far as that is known. */
  behindCharacters: number;
  readonly leave: () => void;
}

/** The responses that this process makes and that will be kept, so that they can be looked at and followed before. */
export class ResponsesUnderWay {
  readonly #all = new Map<string, { readonly response: ResponseUnderWay; readonly followers: Set<Follower> }>();

  add(id: string, response: ResponseUnderWay): void {
    if (!this.#all.has(id)) this.#all.set(id, { response, followers: new Set() });
  }

  /** One of this account. */
  find(accountId: string, id: string): ResponseUnderWay | undefined {
    const response = this.#all.get(id)?.response;
    return response?.accountId === accountId ? response : undefined;
  }

  /** What its client is told, those who follow it are told too. */
  tell(id: string, frames: string): void {
    const followers = frames === '' ? undefined : this.#all.get(id)?.followers;
    for (const follower of followers ?? []) {
      const unseen = unseenOf(follower, frames);
      if (follower.writer.write(unseen)) continue;
      follower.behindCharacters += unseen.length;
      if (follower.behindCharacters > behindCharactersMax) follower.writer.destroy();
    }
  }

  /** It is over. Whoever still follows hears the last of it. */
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

  /** Tells what was said so far and what follows. Resolves when that is over. */
  follow(id: string, exchange: Exchange, startingAfter = -1): Promise<void> {
    const entry = this.#all.get(id);
    if (!entry) return Promise.resolve();
    if (entry.followers.size >= followersMax) throw tooMany();
    const { response, score = [] } = entry.response.soFar;
    const writer = exchange.openEventStream();
    return new Promise((resolve) => {
      const seen = Math.max(0, startingAfter + 1 - score.length);
      const follower: Follower = { writer, seen, behindCharacters: 0, leave: resolve };
      entry.followers.add(follower);
      writer.onDrain(() => {
        follower.behindCharacters = 0;
      });
      exchange.gone.addEventListener('abort', () => {
        entry.followers.delete(follower);
        resolve();
      });
      // Whoever has seen all of it learns at once that more will come.
      writer.write(toldFrames(response, score, startingAfter) || comment);
    });
  }
}

/** Frames without the events that a follower has seen elsewhere. */
function unseenOf(follower: Follower, frames: string): string {
  if (follower.seen === 0) return frames;
  return frames
    .split(/(?<=\n\n)/)
    .filter((frame) => {
      const isSeen = follower.seen > 0 && frame.startsWith('event: ');
      if (isSeen) follower.seen -= 1;
      return !isSeen;
    })
    .join('');
}

function tooMany(): GatewayError {
  return new GatewayError('invalid-request', {
    detail: `${followersMax} already follow this response: ask for it when it is complete.`,
  });
}
