import type { PassThroughUsage } from '../../../core/pass-through-call.ts';
import { objectOf, parsedJson, type WireObject } from 'chat-formats/wire-value.ts';

/** The tokens that a provider reports, under any of the common names; undefined if it reports none. */
export function reportedTokens(
  usage: WireObject | undefined,
): Pick<PassThroughUsage, 'promptTokens' | 'completionTokens'> {
  const completionTokens = figureIn(usage, 'completion_tokens', 'output_tokens');
  const total = figureIn(usage, 'total_tokens');
  const rest = total === undefined ? undefined : Math.max(0, total - (completionTokens ?? 0));
  return { promptTokens: figureIn(usage, 'prompt_tokens', 'input_tokens') ?? rest, completionTokens };
}

export function figureIn(value: WireObject | undefined, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const figure = value?.[name];
    if (typeof figure === 'number' && Number.isFinite(figure) && figure >= 0) return figure;
  }
  return undefined;
}

export function searchUnits(answer: WireObject | undefined): number | undefined {
  return figureIn(objectOf(objectOf(answer?.['meta'])?.['billed_units']), 'search_units');
}

/** Characters kept between two reads. A usage object is shorter. */
const carriedMax = 4096;

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
