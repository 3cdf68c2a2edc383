import type { Command } from 'commander';
import { surfacesUnlessSaid } from '../config/model.ts';
import { measuredDays } from '../admin/model-documents.ts';
import { averages, performanceDocument } from '../admin/performance-documents.ts';
import { isRecord } from '../config/sections.ts';
import { systemClock } from '../core/clock.ts';
import { type CallSums, callSums } from '../requests/call-sums.ts';
import type { PerformanceSums } from '../requests/performance.ts';
import { performanceOf } from '../requests/performance-spans.ts';
import { dayMs, type ConstraintSums } from '../requests/constraint-days.ts';
import { constraintSums } from '../requests/constraint-sums.ts';
import type { Store } from '../store/store.ts';
import { registerAddModels } from './add-models.ts';
import { CliError } from './output.ts';
import { addResource, cell, listed, numeric, resourceCommands } from './resource-commands.ts';

interface AddModelOptions {
  readonly route: readonly string[];
  readonly cost?: readonly string[];
  readonly alias?: readonly string[];
  readonly surface?: readonly string[];
  readonly description?: string;
  readonly ownedBy?: string;
  readonly contextWindow?: number | string;
  readonly maxOutputTokens?: number | string;
  readonly thinking?: true;
  readonly toolFormat?: string;
  readonly thinksFirst?: true;
  readonly repairArguments?: true;
  readonly untranslatable?: string;
  readonly guarantee?: readonly string[];
  readonly jsonDelivery?: string;
  readonly attempts?: number | string;
  readonly paidBy?: string;
  readonly cache?: string;
  readonly fallback?: readonly string[];
  readonly free?: true;
  readonly input?: string;
  readonly output?: string;
  readonly cachedInput?: string;
  readonly cacheWrite5m?: string;
  readonly cacheWrite1h?: string;
  readonly providerTool?: readonly string[];
  readonly unit?: readonly string[];
  readonly endpoint?: readonly string[];
}

export function registerModels(program: Command): void {
  const noun = resourceCommands(program, {
    kind: 'model',
    description: 'the catalog: what clients may ask for',
    example: 'chat-gateway models add acme-large --route acme:large-v3 --input 2.50 --output 10.00',
    columns: ['id', 'aliases', 'surfaces', 'endpoints', 'routes', 'price in / out'],
    cells: (spec) => [
      cell(spec.id),
      cell(spec.aliases),
      cell(spec.surfaces ?? (spec.endpoints === undefined ? surfacesUnlessSaid : [])),
      cell(spec.endpoints),
      routesText(spec.routes),
      priceText(spec.price),
    ],
    measured: [
      { column: 'tool calls', field: 'tool_calls', read: readCalls },
      { column: `constraints kept, ${measuredDays} days`, field: 'constraints', read: readConstraints },
      { column: 'last 7 days', field: 'performance', read: readPerformance },
    ],
  });
  registerAddModels(noun);
  noun
    .command('add')
    .argument('<id>', 'what the catalog lists and answers carry')
    .requiredOption(
      '--route <upstream[:model]>',
      'who answers, the first one first; may be given several times',
      listed,
    )
    .option(
      '--cost <upstream=input/output>',
      'what a route costs you: a million tokens of prompt and of output, or `upstream=free`; for each route',
      listed,
    )
    .option('--alias <names>', 'other names clients may use', listed)
    .option('--free', 'it costs nothing')
    .option('--input <price>', 'price of a million prompt tokens')
    .option('--output <price>', 'price of a million generated tokens')
    .option('--cached-input <price>', 'price of a million prompt tokens read from the cache')
    .option('--cache-write-5m <price>', 'price of a million tokens written to a five-minute cache')
    .option('--cache-write-1h <price>', 'price of a million tokens written to a one-hour cache')
    .option('--provider-tool <name=price>', 'price of a thousand uses of a tool that the provider runs itself', listed)
    .option('--unit <unit=price>', 'price of one image, second, character or request', listed)
    .option('--surface <tags>', 'surfaces that accept it', listed)
    .option('--endpoint <names>', 'endpoints that hand bodies on to it, such as embeddings', listed)
    .option('--description <text>', 'what it is good at, for those who choose')
    .option('--owned-by <label>', 'the label the catalog shows')
    .option('--context-window <tokens>', 'tokens it can hold', numeric)
    .option('--max-output-tokens <tokens>', 'tokens it can generate', numeric)
    .option('--thinking', 'it can think')
    .option('--thinks-first', 'its prompt opens the reasoning, so that its text begins inside it')
    .option('--tool-format <family>', 'which tool-call markup to look for')
    .option('--repair-arguments', 'mend the arguments of its tool calls where it is certain how')
    .option('--untranslatable <hints|refuse|drop>', 'what happens to fields its provider’s format has no word for')
    .option(
      '--guarantee <constraint=keeper>',
      'who keeps stop, max_tokens, strict, tool_choice or json: auto, provider, gateway or off; may be given several times',
      listed,
    )
    .option('--json-delivery <stream|whole>', 'how JSON is passed on that is kept here')
    .option('--attempts <times>', 'how often it is asked again when it broke a constraint', numeric)
    .option('--paid-by <account|gateway>', 'who pays for answers that were thrown away')
    .option('--cache <auto|off>', 'prompt caches for clients that do not know of them')
    .option(
      '--fallback <model[=reasons]>',
      'who answers in its place, the first one first: `other` on failure, `other=failure+context_overflow+refusal` as said',
      listed,
    )
    .description('add a model')
    .action((id: string, options: AddModelOptions, command: Command) =>
      addResource(command, { kind: 'model', spec: modelEntry(id, options) }),
    );
}

function modelEntry(id: string, options: AddModelOptions): Record<string, unknown> {
  return {
    id,
    aliases: options.alias,
    description: options.description,
    owned_by: options.ownedBy,
    surfaces: options.surface,
    endpoints: options.endpoint,
    context_window: options.contextWindow,
    max_output_tokens: options.maxOutputTokens,
    thinking: options.thinking,
    thinks_first: options.thinksFirst,
    tool_format: options.toolFormat,
    repair_arguments: options.repairArguments,
    untranslatable: options.untranslatable,
    guarantees: pairs(options.guarantee),
    json_delivery: options.jsonDelivery,
    tools: saidOf({ attempts: options.attempts, paid_by: options.paidBy }),
    cache: options.cache,
    fallbacks: options.fallback?.map(fallbackEntry),
    routes: withCosts(options.route.map(routeEntry), options.cost ?? []),
    price: options.free ? 'free' : priceEntry(options),
  };
}

/** Upstreams have no colon in their names; models at providers often do. */
function routeEntry(text: string, priority: number): Record<string, unknown> {
  const [upstream = '', ...model] = text.split(':');
  return { upstream, ...(model.length > 0 && { model: model.join(':') }), ...(priority > 0 && { priority }) };
}

/** What providers charge, by the upstreams of the routes. */
function withCosts(
  routes: readonly Record<string, unknown>[],
  texts: readonly string[],
): readonly Record<string, unknown>[] {
  const costs = new Map(texts.map(costEntry));
  for (const upstream of costs.keys()) {
    if (!routes.some((route) => route['upstream'] === upstream))
      throw new CliError('cost_without_route', { upstream }, { exitCode: 2 });
  }
  return routes.map((route) => {
    const cost = costs.get(String(route['upstream']));
    return cost === undefined ? route : { ...route, cost };
  });
}

function costEntry(text: string): readonly [upstream: string, cost: unknown] {
  const [upstream = '', cost = ''] = text.split('=', 2);
  const [input = '', output] = cost.split('/', 2);
  if (cost === 'free') return [upstream, cost];
  if (output !== undefined) return [upstream, { input, output }];
  throw new CliError('invalid_cost', { value: text }, { exitCode: 2 });
}

function fallbackEntry(text: string): Record<string, unknown> {
  const [model, reasons] = text.split('=', 2);
  return { model, ...(reasons !== undefined && { on: reasons.split('+') }) };
}

function priceEntry({ input, output, cachedInput, cacheWrite5m, cacheWrite1h, providerTool, unit }: AddModelOptions) {
  const price = {
    input,
    cached_input: cachedInput,
    cache_write_5m: cacheWrite5m,
    cache_write_1h: cacheWrite1h,
    output,
    provider_tools: pairs(providerTool),
    units: pairs(unit),
  };
  return saidOf(price);
}

function saidOf(fields: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined);
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

function pairs(texts: readonly string[] | undefined): Record<string, unknown> | undefined {
  return texts && Object.fromEntries(texts.map((text) => text.split('=', 2)));
}

function routesText(routes: unknown): string {
  if (!Array.isArray(routes)) return '';
  return routes
    .filter(isRecord)
    .map(({ upstream, model }) =>
      [upstream, model]
        .filter((part) => part !== undefined)
        .map(cell)
        .join(':'),
    )
    .join(', ');
}

function priceText(price: unknown): string {
  return isRecord(price) ? `${cell(price.input)} / ${cell(price.output)}` : cell(price);
}

async function readCalls(store: Store) {
  const calls = await callSums(store);
  return (model: string) => ({ text: callsText(calls.get(model)), json: calls.get(model) ?? null });
}

async function readConstraints(store: Store) {
  const constraints = await constraintSums(store, systemClock.now() - measuredDays * dayMs);
  return (model: string) => {
    const sums = constraints.get(model) ?? new Map<string, ConstraintSums>();
    return { text: [...sums].map(constraintText).join('; '), json: Object.fromEntries(sums) };
  };
}

async function readPerformance(store: Store) {
  const performances = await performanceOf(store, systemClock.now(), { modelsOnly: true });
  return (model: string) => {
    const { week, ...spans } = performances.model(model);
    return { text: performanceText(week), json: performanceDocument({ ...spans, week }) };
  };
}

/** Everything that is known, with how many requests say so. */
function performanceText(week: PerformanceSums): string {
  const { uptime, firstTokenMs, tokensPerSecond } = averages(week, 1);
  const parts = [
    uptime !== null && `${(Math.floor(uptime * 1000) / 10).toFixed(1)} % up`,
    firstTokenMs !== null && `first token ${Math.round(firstTokenMs)} ms`,
    tokensPerSecond !== null && `${tokensPerSecond.toPrecision(2)} tokens/s`,
    uptime !== null && `from ${week.answered + week.failed} requests`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}

function constraintText([constraint, { met, repaired, reprompted, violated }]: readonly [
  string,
  ConstraintSums,
]): string {
  const parts = [
    `${constraint} ${met} of ${met + repaired + reprompted + violated}`,
    repaired > 0 && `${repaired} repaired`,
    reprompted > 0 && `${reprompted} re-prompted`,
    violated > 0 && `${violated} violated`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}

function callsText(calls: CallSums | undefined): string {
  if (!calls) return '';
  const { seen, parsed, repaired, failed } = calls;
  const parts = [
    `${parsed} of ${seen} parsed`,
    repaired > 0 && `${repaired} repaired`,
    failed > 0 && `${failed} failed`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}
