import type { Price, ServiceLevel } from 'chat-formats/price.ts';
import type { PriceKind } from '../../../core/price-kinds.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import { chargedLevel, type CountedUsage, dearestModel, inputOf, outputOf } from './cost.ts';
import { momentOf, type PriceAt, priceAt } from './price-at.ts';

/** Tokens of one kind and the price of each. Every token is in exactly one line. */
export interface CostLine {
  readonly kind: PriceKind;
  readonly tokens: bigint;
  /** In units of 10^-(12 + `extraPlaces`). */
  readonly perToken: bigint;
  readonly extraPlaces: number;
  /** The catalog id of the model, if it is not the requested one. */
  readonly model?: string | undefined;
}

/** Splits the charge for some answers by kind of token. A kind with the price of `input` or `output` counts as that. `toolLines` has the rest. */
export function costLines(
  answers: readonly CountedUsage[],
  price: Price,
  requested: ServiceLevel = {},
): readonly CostLine[] {
  const lines = new Map<string, CostLine>();
  for (const usage of answers) {
    for (const line of linesOfAnswer(usage, price, requested)) {
      const name = [line.kind, line.perToken, line.extraPlaces, line.model].join(' ');
      lines.set(name, { ...line, tokens: line.tokens + (lines.get(name)?.tokens ?? 0n) });
    }
  }
  return [...lines.values()];
}

/** The lines of each call, at the price of the model that it is charged for. */
function linesOfAnswer(usage: CountedUsage, price: Price, requested: ServiceLevel): readonly CostLine[] {
  return (usage.parts ?? [usage]).flatMap((call) => {
    const model = 'of' in call ? dearestModel(call, call.of, requested) : undefined;
    const at = model?.price ?? price;
    const lines = linesOf(call, at, chargedLevel(call, at, requested));
    return model && at.version !== price.version ? lines.map((line) => ({ ...line, model: model.id })) : lines;
  });
}

function linesOf(usage: CountedUsage, price: Price, level: ServiceLevel): readonly CostLine[] {
  const { input, cached, written5m, written30m, written1h, written12h, audio, image } = inputOf(usage);
  const { output, reasoning, spoken } = outputOf(usage);
  const at = priceAt(price, usage.promptTokens, level, momentOf(usage, price));
  const { prices } = at;
  const counts: readonly [PriceKind, bigint, bigint][] = [
    ['input', input, prices.input],
    ['cached_input', cached, prices.cachedInput],
    ['cache_write_5m', written5m, prices.cacheWrite5m],
    ['cache_write_30m', written30m, prices.cacheWrite30m],
    ['cache_write_1h', written1h, prices.cacheWrite1h],
    ['cache_write_12h', written12h, prices.cacheWrite12h],
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
 * counts of audio, images and the lifetimes of 30 minutes and 12 hours. Otherwise the record stores the lines.
 */
export function isFlat(price: Price, { cacheWrite30mTokens = 0, cacheWrite12hTokens = 0 }: CountedUsage): boolean {
  const { input, inputAudio, inputImage, output, reasoning, outputAudio, tiers } = price;
  if (cacheWrite30mTokens + cacheWrite12hTokens > 0) return false;
  const ofOutput = reasoning === output && outputAudio === output;
  return tiers.length === 0 && inputAudio === input && inputImage === input && ofOutput;
}

type StoredLine = readonly [PriceKind, tokens: string, perToken: string, extraPlaces: number, model?: string];

export function encodeCostLines(lines: readonly CostLine[]): string {
  const stored = lines.map(({ kind, tokens, perToken, extraPlaces, model }): StoredLine => {
    const line = [kind, String(tokens), String(perToken), extraPlaces] as const;
    return model === undefined ? line : [...line, model];
  });
  return JSON.stringify(stored);
}

export function decodeCostLines(text: string): readonly CostLine[] {
  return (ownJson(text) as StoredLine[]).map(([kind, tokens, perToken, extraPlaces, model]) => {
    const line = { kind, tokens: BigInt(tokens), perToken: BigInt(perToken), extraPlaces };
    return model === undefined ? line : { ...line, model };
  });
}
