import type { Price, ServiceLevel } from 'chat-formats/price.ts';
import type { PriceKind } from '../../../core/price-kinds.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import { chargedLevel, type CountedUsage, inputOf, outputOf } from './cost.ts';
import { type PriceAt, priceAt } from './price-at.ts';

/** Tokens of one kind and the price of each. Every token is in exactly one line. */
export interface CostLine {
  readonly kind: PriceKind;
  readonly tokens: bigint;
  /** In units of 10^-(12 + `extraPlaces`). */
  readonly perToken: bigint;
  readonly extraPlaces: number;
}

/** Splits the charge for some answers by kind of token. A kind with the price of `input` or `output` counts as that. `toolLines` has the rest. */
export function costLines(
  answers: readonly CountedUsage[],
  price: Price,
  requested: ServiceLevel = {},
): readonly CostLine[] {
  const lines = new Map<string, CostLine>();
  for (const usage of answers) {
    for (const line of linesOf(usage, price, chargedLevel(usage, price, requested))) {
      const name = `${line.kind} ${line.perToken} ${line.extraPlaces}`;
      lines.set(name, { ...line, tokens: line.tokens + (lines.get(name)?.tokens ?? 0n) });
    }
  }
  return [...lines.values()];
}

function linesOf(usage: CountedUsage, price: Price, level: ServiceLevel): readonly CostLine[] {
  const { input, cached, written5m, written1h, audio, image } = inputOf(usage);
  const { output, reasoning, spoken } = outputOf(usage);
  const at = priceAt(price, usage.promptTokens, level);
  const { prices } = at;
  const counts: readonly [PriceKind, bigint, bigint][] = [
    ['input', input, prices.input],
    ['cached_input', cached, prices.cachedInput],
    ['cache_write_5m', written5m, prices.cacheWrite5m],
    ['cache_write_1h', written1h, prices.cacheWrite1h],
    [prices.inputAudio === prices.input ? 'input' : 'input_audio', audio, prices.inputAudio],
    [prices.inputImage === prices.input ? 'input' : 'input_image', image, prices.inputImage],
    ['output', output, prices.output],
    [prices.reasoning === prices.output ? 'output' : 'reasoning', reasoning, prices.reasoning],
    [prices.outputAudio === prices.output ? 'output' : 'output_audio', spoken, prices.outputAudio],
  ];
  return counts.flatMap(([kind, tokens, pico]) => (tokens === 0n ? [] : costLine(kind, tokens, pico, at)));
}

function costLine(kind: PriceKind, tokens: bigint, pico: bigint, { factor, scale }: PriceAt): CostLine {
  return { kind, tokens, perToken: pico * factor, extraPlaces: String(scale).length - 1 };
}

/**
 * Whether the lines can be computed from the record of a request, which has the totals of all its answers and no
 * counts of audio and images. Otherwise the record stores the lines.
 */
export function isFlat(price: Price): boolean {
  const { input, inputAudio, inputImage, output, reasoning, outputAudio, tiers } = price;
  const ofOutput = reasoning === output && outputAudio === output;
  return tiers.length === 0 && inputAudio === input && inputImage === input && ofOutput;
}

type StoredLine = readonly [PriceKind, tokens: string, perToken: string, extraPlaces: number];

export function encodeCostLines(lines: readonly CostLine[]): string {
  const stored = lines.map(({ kind, tokens, perToken, extraPlaces }): StoredLine => {
    return [kind, String(tokens), String(perToken), extraPlaces];
  });
  return JSON.stringify(stored);
}

export function decodeCostLines(text: string): readonly CostLine[] {
  return (ownJson(text) as StoredLine[]).map(([kind, tokens, perToken, extraPlaces]) => {
    return { kind, tokens: BigInt(tokens), perToken: BigInt(perToken), extraPlaces };
  });
}
