import { objectOf, parsedJson } from '../../dialects/wire-value.ts';
import { figureIn, toldTokens } from './usage.ts';

/** What stands between two reads is found in so many characters: a usage is a short object. */
const carriedMax = 4096;

/** A usage, or the word that an image is there. */
const tellings = /"usage"\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})|"type"\s*:\s*"image_generation\.completed"/g;

/** What the events of an answer tell of its usage while they pass, however they are cut; sounds tell nothing. */
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
