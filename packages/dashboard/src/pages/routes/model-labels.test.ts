import { describe, expect, test } from 'vitest';
import type { NewModel } from '../../api/wire.ts';
import { differences } from '../../components/difference.ts';
import { sections } from '../../strings/index.ts';
import { errorText, type FieldProblem, labelOf } from '../../text/error-text.ts';
import { fill } from '../../text/fill.ts';
import type { Language } from '../../text/language.ts';
import type { Pair } from '../../text/strings.ts';
import type { Translate } from '../../text/text.tsx';
import { upstreamLabels } from '../upstreams/upstream-labels.ts';
import { modelLabels } from './model-labels.ts';
import { modelSpec, modelValues } from './model-values.ts';

function translator(language: Language): Translate {
  const texts: Readonly<Record<string, Readonly<Record<string, Pair>>>> = sections;
  return (key, ...[values]) => {
    const [section = '', name = ''] = key.split('.');
    return fill(texts[section]![name]!, language, values ?? {});
  };
}

const english = translator('en');
const chinese = translator('zh');

const tokenPrices = {
  input: '1',
  output: '2',
  cached_input: '3',
  cache_write_5m: '4',
  cache_write_30m: '5',
  cache_write_1h: '5',
  cache_write_12h: '5',
  input_audio: '6',
  input_image: '7',
  reasoning: '8',
  output_audio: '9',
};

/** A model with every field of the form. */
const completeModel: NewModel = {
  id: 'm',
  aliases: ['n'],
  description: 'A model.',
  owned_by: 'acme',
  surfaces: ['openai'],
  endpoints: ['embeddings'],
  context_window: 1,
  max_output_tokens: 1,
  thinking: true,
  thinks_first: true,
  tool_format: 'auto',
  repair_arguments: true,
  untranslatable: 'drop',
  continue: 'prefill',
  fallbacks: [{ model: 'o' }],
  guarantees: { stop: 'off', max_tokens: 'off', strict: 'off', tool_choice: 'off', json: 'off' },
  tools: { attempts: 1, paid_by: 'gateway' },
  json_delivery: 'whole',
  cache: 'auto',
  routes: [
    { upstream: 'a', model: 'b', weight: 2, cost: { ...tokenPrices, units: { request: '1' } } },
    { upstream: 'c', priority: 1 },
  ],
  priced_fields: 'refuse',
  price: {
    ...tokenPrices,
    provider_tools: { web_search: '10' },
    time_zone: 'Asia/Shanghai',
    units: { request: '1', image: '2', second: '3', character: '4' },
    tiers: [
      { when: { prompt_over: 1, service_tier: 'flex', speed: 'fast', region: 'us' }, ...tokenPrices },
      { when: { days: ['mon'], from: '00:30', to: '08:30' }, factor: '0.5' },
      { when: { speed: 'fast' }, factor: '2' },
    ],
  },
};

test('every field that the model form sends has a label', () => {
  const fields = differences({}, modelSpec(modelValues(completeModel))).map(({ path }) => path);
  expect(fields.length).toBeGreaterThan(30);
  expect(fields.filter((field) => labelOf(field, modelLabels(english)) === undefined)).toEqual([]);
});

test.each([
  ['routes[0].weight', 'Route 1, Weight', '路由 1，权重'],
  ['routes.1.upstream', 'Route 2, Upstream', '路由 2，上游'],
  ['routes[2]', 'Route 3', '路由 3'],
  ['routes[11].cost.input', 'Route 12, Provider cost, Input', '路由 12，上游成本，输入'],
  ['routes[1].cost.tiers[2].factor', 'Route 2, Provider cost, Tier 3, Factor', '路由 2，上游成本，档位 3，系数'],
  ['price.cached_input', 'Price, Cached input', '价格，缓存输入'],
  ['fallbacks[1].model', 'Fallback 2', '备用模型 2'],
  ['aliases[3]', 'Aliases 4', '别名 4'],
  ['guarantees.tool_choice', 'Tool choice', '工具选择'],
])('the field %s of a model has the labels %s and %s', (field, inEnglish, inChinese) => {
  expect(labelOf(field, modelLabels(english))).toBe(inEnglish);
  expect(labelOf(field, modelLabels(chinese))).toBe(inChinese);
});

test.each([
  ['timeouts.first_event', 'Timeouts, First event', '超时，首个事件'],
  ['api_keys[1]', 'API key 2', 'API 密钥 2'],
  ['base_url', 'Base URL', '接口地址'],
])('the field %s of an upstream is called %s and %s', (field, inEnglish, inChinese) => {
  expect(labelOf(field, upstreamLabels(english))).toBe(inEnglish);
  expect(labelOf(field, upstreamLabels(chinese))).toBe(inChinese);
});

test('a field without a label keeps its API name', () => {
  expect(labelOf('routes[0].embeddings_max', modelLabels(english))).toBeUndefined();
  expect(labelOf('constructor', modelLabels(english))).toBeUndefined();
});

describe('an error', () => {
  const shown = (problems: readonly FieldProblem[], reason: string, language: Language) =>
    errorText(
      { code: 'invalid_request', message: 'x', reason, params: {}, problems },
      { language, texts: sections, labels: modelLabels(translator(language)), timeZone: 'UTC' },
    );

  test('with the problems of a model uses the labels of the form', () => {
    const problems: readonly FieldProblem[] = [
      { field: 'routes[1].upstream', reason: 'not_configured', params: { name: 'acne', section: 'upstreams' } },
      { field: 'price.input', reason: 'not_text', params: {} },
    ];
    expect(shown(problems, 'invalid_fields', 'en')).toBe(
      '“Route 2, Upstream” names `acne`, which is not in “Upstreams”. “Price, Input” must be text.',
    );
    expect(shown(problems, 'invalid_fields', 'zh')).toBe(
      '路由 2，上游：所指的 `acne` 不在 “上游” 中。价格，输入：必须是文本。',
    );
  });

  test('about several models names each model', () => {
    const problems: readonly FieldProblem[] = [
      { field: 'models[0].price.output', reason: 'not_text', params: {}, entry: 'acme/a' },
      { field: 'models[4].id', reason: 'name_taken', params: { name: 'b', owner: 'b', section: 'models' }, entry: 'b' },
    ];
    expect(shown(problems, 'models_not_added', 'en')).toBe(
      'No model was added. Correct or remove the invalid ones. acme/a: “Price, Output” must be text. b: “ID” `b` is already taken by `b` in “Models”.',
    );
    expect(shown(problems, 'models_not_added', 'zh')).toBe(
      '未添加任何模型。请更正或移除有误的模型。acme/a：价格，输出：必须是文本。b：ID：`b` 已被 “模型” 中的 `b` 占用。',
    );
  });
});
