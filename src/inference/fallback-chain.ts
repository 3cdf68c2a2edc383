import type { FallbackReason, Model } from '../core/model.ts';

/** So many other models are asked for one request at most, however many are named. */
const fallbacksMax = 4;

/** A request's way from model to model, each asked at most once: the fallbacks of a fallback come before its siblings. */
export class FallbackChain {
  readonly #find: (name: string) => Model | undefined;
  readonly #note: (text: string) => void;
  readonly #asked = new Set<string>();
  #left: readonly string[] = [];

  /** Those who may not use a model do not find it, and are not told its name. */
  constructor(find: (name: string) => Model | undefined, note: (text: string) => void) {
    this.#find = find;
    this.#note = note;
  }

  /** The model to ask after one came to nothing; without a reason only those that are left from before. */
  after({ id, fallbacks = [] }: Model, reason: FallbackReason | undefined): Model | undefined {
    this.#asked.add(id);
    const own = fallbacks.filter(({ on }) => reason !== undefined && on.includes(reason)).map(({ model }) => model);
    this.#left = [...own, ...this.#left];
    while (this.#asked.size <= fallbacksMax) {
      const [name, ...rest] = this.#left;
      if (name === undefined) return undefined;
      this.#left = rest;
      const model = this.#find(name);
      if (!model) this.#note('a fallback was passed over: this key cannot use it here');
      else if (!this.#asked.has(model.id)) return model;
    }
    return undefined;
  }
}
