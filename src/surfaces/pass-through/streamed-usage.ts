import { objectOf, parsedJson } from '../../dialects/wire-value.ts';
import { figureIn, reportedTokens } from './usage.ts';

/** Characters kept between two reads. A usage object is shorter. */
const carriedMax = 4096;

/** A usage object, or the event of a completed image. */
const usagePattern = /"usage"\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})|"type"\s*:\s*"image_generation\.completed"/g;

/** Reads usage from the events of a streamed answer, in any split. Audio bytes report none. */
export class StreamedUsage {
  promptTokens: number | undefined;
  completionTokens: number | undefined;
  seconds: number | undefined;
  images = 0;
  #carried = '';

  measure(bytes: string): void {
    const text = this.#carried + bytes;
    let end = 0;
    for (const match of text.matchAll(usagePattern)) {
      end = match.index + match[0].length;
      if (match[1] === undefined) this.images += 1;
      else this.#add(match[1]);
    }
    this.#carried = text.slice(Math.max(end, text.length - carriedMax));
  }

  #add(json: string): void {
    const usage = objectOf(parsedJson(json));
    const { promptTokens, completionTokens } = reportedTokens(usage);
    this.promptTokens = sum(this.promptTokens, promptTokens);
    this.completionTokens = sum(this.completionTokens, completionTokens);
    this.seconds = sum(this.seconds, figureIn(usage, 'seconds'));
  }
}

function sum(total: number | undefined, more: number | undefined): number | undefined {
  return more === undefined ? total : (total ?? 0) + more;
}
