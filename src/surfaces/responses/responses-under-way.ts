import { GatewayError } from '../../core/gateway-error.ts';
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
  readonly soFar: { readonly response: WireObject; readonly score: Score | undefined };
}

interface Follower {
  readonly writer: EventStreamWriter;
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
      if (follower.writer.write(frames)) continue;
      follower.behindCharacters += frames.length;
      if (follower.behindCharacters > behindCharactersMax) follower.writer.destroy();
    }
  }

  /** It is over. Whoever still follows hears the last of it. */
  remove(id: string, lastFrames: () => string): void {
    const followers = this.#all.get(id)?.followers;
    this.#all.delete(id);
    if (!followers || followers.size === 0) return;
    const last = lastFrames();
    for (const { writer, leave } of followers) {
      writer.end(last);
      leave();
    }
  }

  /** Tells what was said so far and what follows. Resolves when that is over. */
  follow(id: string, exchange: Exchange, startingAfter: number | undefined): Promise<void> {
    const entry = this.#all.get(id);
    if (!entry) return Promise.resolve();
    if (entry.followers.size >= followersMax) throw tooMany();
    const { response, score = [] } = entry.response.soFar;
    const writer = exchange.openEventStream();
    return new Promise((resolve) => {
      const follower: Follower = { writer, behindCharacters: 0, leave: resolve };
      entry.followers.add(follower);
      writer.onDrain(() => {
        follower.behindCharacters = 0;
      });
      exchange.gone.addEventListener('abort', () => {
        entry.followers.delete(follower);
        resolve();
      });
      writer.write(toldFrames(response, score, startingAfter));
    });
  }
}

function tooMany(): GatewayError {
  return new GatewayError('invalid-request', {
    detail: `${followersMax} already follow this response: ask for it when it is complete.`,
  });
}
