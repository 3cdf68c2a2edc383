import { objectOf, parsedJson } from '../../dialects/wire-value.ts';
import { figureIn, toldTokens } from './usage.ts';

/** Characters kept between two reads. A usage object is shorter. */
const carriedMax = 4096;

/** A usage object, or the event of a completed image. */
const tellings = /"usage"\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})|"type"\s*:\s*"image_generation\.completed"/g;

/** Reads usage from the events of a streamed answer, in any split. Audio bytes report none. */
export class StreamedUsage {
  promptTokens: number | undefined;
  completionTokens: number | undefined;
  seconds: number | undefined;
  images = 0;
  #carried = '';

  see(bytes: string): void {
    const text = this.#carried + bytes;
    let end = 0;
    for (const found of text.matchAll(tellings)) {
      end = found.index + found[0].length;
      if (found[1] === undefined) this.images += 1;
      else this.#add(found[1]);
    }
    this.#carried = text.slice(Math.max(end, text.length - carriedMax));
  }

  #add(json: string): void {
    const usage = objectOf(parsedJson(json));
    const { promptTokens, completionTokens } = toldTokens(usage);
    this.promptTokens = sum(this.promptTokens, promptTokens);
    this.completionTokens = sum(this.completionTokens, completionTokens);
    this.seconds = sum(this.seconds, figureIn(usage, 'seconds'));
  }
}

function sum(so: number | undefined, more: number | undefined): number | undefined {
  return more === undefined ? so : (so ?? 0) + more;
}
