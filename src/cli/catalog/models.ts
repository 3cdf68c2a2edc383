import type { Command } from 'commander';
import { dayMs } from '../../core/time/calendar-day.ts';
import { defaultSurfaces } from '../../platform/config/schema/model.ts';
import { measuredDays } from '../../manage/admin/catalog/model-documents.ts';
import { performanceDocument, uptimeOf } from '../../manage/admin/catalog/performance-documents.ts';
import { isRecord } from '../../platform/config/file/sections.ts';
import { systemClock } from '../../core/time/clock.ts';
import { type CallSums, callSums } from '../../money/requests/rollups/call-sums.ts';
import { percentilesOf } from '../../money/requests/rollups/histograms.ts';
import { type PerformanceFigures, performanceOf } from '../../money/requests/rollups/performance-spans.ts';
import type { ConstraintSums } from '../../money/requests/rollups/constraint-sums.ts';
import { constraintSums } from '../../money/requests/rollups/constraint-sums.ts';
import type { Store } from '../../platform/store/store.ts';
import { registerAddModels } from './add-models.ts';
import { numeric } from '../terminal/option-values.ts';
import { CliError } from '../terminal/output.ts';
import { addResource, cell, listed, resourceCommands } from './resource-commands.ts';

type OptionsOf<Names extends string, Value> = Readonly<Partial<Record<Names, Value>>>;

type AddModelOptions = { readonly route: readonly string[] } & OptionsOf<
  'cost' | 'alias' | 'surface' | 'guarantee' | 'fallback' | 'providerTool' | 'unit' | 'endpoint',
  readonly string[]
> &
  OptionsOf<'contextWindow' | 'maxOutputTokens' | 'attempts', number | string> &
  OptionsOf<'thinking' | 'thinksFirst' | 'repairArguments' | 'free', true> &
  OptionsOf<'description' | 'ownedBy' | 'toolFormat' | 'untranslatable' | 'jsonDelivery' | 'paidBy' | 'cache', string> &
  OptionsOf<'input' | 'output' | 'cachedInput' | WriteOption, string>;

type WriteOption = 'cacheWrite5m' | 'cacheWrite30m' | 'cacheWrite1h' | 'cacheWrite12h';

export function registerModels(program: Command): void {
  const noun = resourceCommands(program, {
    kind: 'model',
    description: 'Manage the models in the catalog.',
    example: 'chat-gateway models add acme-large --route acme:large-v3 --input 2.50 --output 10.00',
    columns: ['id', 'aliases', 'surfaces', 'endpoints', 'routes', 'price in / out'],
    cells: (spec) => [
      cell(spec.id),
      cell(spec.aliases),
      cell(spec.surfaces ?? (spec.endpoints === undefined ? defaultSurfaces : [])),
      cell(spec.endpoints),
      routesText(spec.routes),
      priceText(spec.price),
    ],
    measured: [
      { column: 'tool calls', field: 'tool_calls', read: readCalls },
      { column: `constraints met, ${measuredDays} days`, field: 'constraints', read: readConstraints },
      { column: 'last 7 days', field: 'performance', read: readPerformance },
    ],
  });
  registerAddModels(noun);
  registerAddModel(noun);
}

function registerAddModel(noun: Command): void {
  noun
    .command('add')
    .argument('<id>', 'model id, in the catalog and in answers')
    .requiredOption(
      '--route <upstream[:model]>',
      'upstream and its model; repeat it for more routes, in order of priority',
      listed,
    )
    .option(
      '--cost <upstream=input/output>',
      'your cost of a route per million prompt and output tokens, or `upstream=free`; repeatable',
      listed,
    )
    .option('--alias <names>', 'other names that clients may use', listed)
    .option('--free', 'free of charge')
    .option('--input <price>', 'price per million prompt tokens')
    .option('--output <price>', 'price per million generated tokens')
    .option('--cached-input <price>', 'price per million prompt tokens read from the cache')
    .option('--cache-write-5m <price>', 'price per million tokens written to a five-minute cache')
    .option('--cache-write-30m <price>', 'price per million tokens written to a cache for 30 minutes')
    .option('--cache-write-1h <price>', 'price per million tokens written to a one-hour cache')
    .option('--cache-write-12h <price>', 'price per million tokens written to a cache for 12 hours')
    .option('--provider-tool <name=price>', 'price per thousand uses of a tool that the provider runs', listed)
    .option('--unit <unit=price>', 'price per image, second, character or request', listed)
    .option('--surface <tags>', 'surfaces that accept it', listed)
    .option('--endpoint <names>', 'pass-through endpoints that accept it, such as embeddings', listed)
    .option('--description <text>', 'description for users who choose a model')
    .option('--owned-by <label>', 'owner shown in the catalog')
    .option('--context-window <tokens>', 'context window in tokens', numeric)
    .option('--max-output-tokens <tokens>', 'maximum number of generated tokens', numeric)
    .option('--thinking', 'the model supports reasoning')
    .option('--thinks-first', 'the prompt opens the reasoning, so the output begins inside it')
    .option('--tool-format <family>', 'tool-call markup to parse')
    .option('--repair-arguments', 'repair invalid JSON in tool-call arguments if the repair is certain')
    .option('--untranslatable <hints|refuse|drop>', 'handling of fields that the provider’s format cannot express')
    .option(
      '--guarantee <constraint=enforcer>',
      'enforcer of stop, max_tokens, strict, tool_choice or json: auto, provider, gateway or off; repeatable',
      listed,
    )
    .option('--json-delivery <stream|whole>', 'delivery of JSON that the gateway enforces')
    .option('--attempts <times>', 'maximum number of re-prompts after a constraint violation', numeric)
    .option('--paid-by <account|gateway>', 'payer of answers discarded by a re-prompt')
    .option('--cache <auto|off>', 'prompt caching for clients that do not request it')
    .option(
      '--fallback <model[=reasons]>',
      'model that answers instead, in order: `other` on failure, `other=failure+context_overflow+refusal` for these reasons',
      listed,
    )
    .description('Add a model.')
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
    tools: definedFields({ attempts: options.attempts, paid_by: options.paidBy }),
    cache: options.cache,
    fallbacks: options.fallback?.map(fallbackEntry),
    routes: withCosts(options.route.map(routeEntry), options.cost ?? []),
    price: options.free ? 'free' : priceEntry(options),
  };
}

/** Splits at the first colon: an upstream name has none, a model name may have several. */
function routeEntry(text: string, priority: number): Record<string, unknown> {
  const [upstream = '', ...model] = text.split(':');
  return { upstream, ...(model.length > 0 && { model: model.join(':') }), ...(priority > 0 && { priority }) };
}

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

function priceEntry({ input, output, cachedInput, providerTool, unit, ...writes }: AddModelOptions) {
  return definedFields({
    input,
    cached_input: cachedInput,
    cache_write_5m: writes.cacheWrite5m,
    cache_write_30m: writes.cacheWrite30m,
    cache_write_1h: writes.cacheWrite1h,
    cache_write_12h: writes.cacheWrite12h,
    output,
    provider_tools: pairs(providerTool),
    units: pairs(unit),
  });
}

function definedFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined);
  return defined.length === 0 ? undefined : Object.fromEntries(defined);
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

function performanceText(week: PerformanceFigures): string {
  const uptime = uptimeOf(week, 1);
  const { first_token_ms: firstToken, tokens_per_second: speeds } = percentilesOf(week.histograms);
  const parts = [
    uptime !== null && `${(Math.floor(uptime * 1000) / 10).toFixed(1)} % up`,
    firstToken.p50 !== null && `first token ${Math.round(firstToken.p50)} ms (median)`,
    speeds.p50 !== null && `${Number(speeds.p50.toPrecision(3))} tokens/s`,
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
