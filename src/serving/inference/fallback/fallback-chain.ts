import type { FallbackReason, Model } from 'chat-formats/chat/model.ts';

/** The maximum number of fallback models called for one request. */
const fallbacksMax = 4;

/** The order in which models are tried, each at most once. The fallbacks of a fallback come before its siblings. */
export class FallbackChain {
  readonly #find: (name: string) => Model | undefined;
  readonly #note: (text: string) => void;
  readonly #tried = new Set<string>();
  #left: readonly string[] = [];

  /** `find` returns undefined for a model that the caller may not use. Its name must not appear in a note. */
  constructor(find: (name: string) => Model | undefined, note: (text: string) => void) {
    this.#find = find;
    this.#note = note;
  }

  /** The model to try after one failed. Without a reason, its own fallbacks are skipped. */
  after({ id, fallbacks = [] }: Model, reason: FallbackReason | undefined): Model | undefined {
    this.#tried.add(id);
    const own = fallbacks.filter(({ on }) => reason !== undefined && on.includes(reason)).map(({ model }) => model);
    this.#left = [...own, ...this.#left];
    while (this.#tried.size <= fallbacksMax) {
      const [name, ...rest] = this.#left;
      if (name === undefined) return undefined;
      this.#left = rest;
      const model = this.#find(name);
      if (!model) this.#note('a fallback was skipped: this key cannot use it here');
      else if (!this.#tried.has(model.id)) return model;
    }
    return undefined;
  }
}
