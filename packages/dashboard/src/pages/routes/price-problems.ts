import type { FieldProblem } from '../../text/error-text.ts';
import {
  type PriceName,
  priceNames,
  type PriceValues,
  type TierValues,
  type TokenPriceTexts,
  type ToolValues,
  unitNames,
} from './price-values.ts';

/**
 * The problems of typed prices, with the fields and rules that the gateway would report. The form shows both in the same
 * way.
 */
export function priceProblems({ tokens, tiers, units, tools }: PriceValues, path = 'price'): readonly FieldProblem[] {
  return [
    ...tokenProblems(path, tokens),
    ...unitNames.flatMap((unit) => decimalProblem(`${path}.units.${unit}`, units[unit], { whole: 6, places: 12 })),
    ...tools.flatMap((tool) => toolProblems(`${path}.provider_tools`, tool, tools.map(trimmedName))),
    ...tiers.flatMap((tier, index) => tierProblems(`${path}.tiers[${index}]`, tier)),
  ];
}

/** Decimal text, as the gateway expects: money is never a float. */
export function isPrice(text: string): boolean {
  return isDecimal(text, ofPrice);
}

/** A number that prices are multiplied by. */
export function isFactor(text: string): boolean {
  return isDecimal(text, ofFactor);
}

interface Digits {
  readonly whole: number;
  readonly places: number;
}

const ofPrice: Digits = { whole: 6, places: 6 };
export const ofFactor: Digits = { whole: 3, places: 6 };
const promptTokensMax = 1_000_000_000;

function isDecimal(text: string, { whole, places }: Digits): boolean {
  return new RegExp(`^\\d{1,${whole}}(\\.\\d{1,${places}})?$`).test(text.trim());
}

function tierProblems(path: string, tier: TierValues): readonly FieldProblem[] {
  const { promptOver, serviceTier, speed, region, days, from, to, effect, factor, tokens } = tier;
  const levels = { service_tier: serviceTier, speed, region };
  const texts = [...Object.values(levels), from, to, ...days];
  const hasCondition = promptOver !== '' || texts.some((text) => text.trim() !== '');
  return [
    ...(hasCondition ? [] : [problem(`${path}.when`, 'tier_without_condition')]),
    ...promptProblems(`${path}.when.prompt_over`, promptOver),
    ...Object.entries(levels).flatMap(([name, level]) =>
      nameProblem(`${path}.when.${name}`, level, 'not_a_service_level'),
    ),
    ...timeProblem(`${path}.when.from`, from, /^(?:[01]\d|2[0-3]):[0-5]\d$/),
    ...timeProblem(`${path}.when.to`, to, /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/),
    ...(effect === 'factor'
      ? [...missing(`${path}.factor`, factor), ...decimalProblem(`${path}.factor`, factor, ofFactor)]
      : tokenProblems(path, tokens)),
  ];
}

function timeProblem(field: string, text: string, times: RegExp): readonly FieldProblem[] {
  return text.trim() === '' || times.test(text.trim()) ? [] : [problem(field, 'not_a_time_of_day')];
}

function tokenProblems(path: string, tokens: TokenPriceTexts): readonly FieldProblem[] {
  const isNeeded = (name: PriceName) => name === 'input' || name === 'output';
  return priceNames.flatMap((name) => [
    ...(isNeeded(name) ? missing(`${path}.${name}`, tokens[name]) : []),
    ...decimalProblem(`${path}.${name}`, tokens[name], ofPrice),
  ]);
}

function toolProblems(map: string, tool: ToolValues, all: readonly string[]): readonly FieldProblem[] {
  const { price } = tool;
  const name = tool.name.trim();
  const path = `${map}.${name}`;
  if (name === '' && price.trim() === '') return [];
  const isTwice = name !== '' && all.indexOf(name) !== all.lastIndexOf(name);
  return [
    ...missing(path, name),
    ...nameProblem(path, name, 'not_a_tool_name'),
    ...(isTwice ? [problem(path, 'given_twice')] : []),
    ...missing(path, price),
    ...decimalProblem(path, price, ofPrice),
  ].slice(0, 1);
}

function promptProblems(field: string, tokens: number | string): readonly FieldProblem[] {
  if (tokens === '') return [];
  if (!Number.isInteger(Number(tokens))) return [problem(field, 'not_a_whole_number')];
  if (Number(tokens) < 1) return [problem(field, 'number_too_small', { min: 1 })];
  return Number(tokens) > promptTokensMax ? [problem(field, 'number_too_large', { max: promptTokensMax })] : [];
}

function decimalProblem(field: string, text: string, digits: Digits): readonly FieldProblem[] {
  return text.trim() === '' || isDecimal(text, digits) ? [] : [problem(field, 'not_a_decimal', { ...digits })];
}

function nameProblem(field: string, text: string, rule: string): readonly FieldProblem[] {
  return text.trim() === '' || /^[a-z0-9_-]{1,64}$/.test(text.trim()) ? [] : [problem(field, rule)];
}

function missing(field: string, text: string): readonly FieldProblem[] {
  return text.trim() === '' ? [problem(field, 'missing')] : [];
}

function problem(field: string, reason: string, params: FieldProblem['params'] = {}): FieldProblem {
  return { field, reason, params };
}

function trimmedName({ name }: { readonly name: string }): string {
  return name.trim();
}
