import { expect, test } from 'vitest';
import { sections } from '../strings/index.ts';
import {
  errorText,
  type FieldLabels,
  type FieldProblem,
  labelOf,
  ruleSentence,
  type ShownError,
} from './error-text.ts';
import type { Language } from './language.ts';

const shown = (error: ShownError, language: Language, labels: FieldLabels = {}): string =>
  errorText(error, { language, texts: sections, labels, timeZone: 'Asia/Shanghai' });

test('a reason is rendered in both languages with its parameters', () => {
  const error = {
    code: 'invalid_request',
    message: 'There are already 20 webhook endpoints. Remove one first.',
    reason: 'too_many_webhooks',
    params: { max: 20 },
  };
  expect(shown(error, 'en')).toBe('There are already 20 webhook endpoints. Remove one first.');
  expect(shown(error, 'zh')).toBe('已有 20 个 Webhook 端点，请先移除一个。');
});

test('a kind of resource is named in the language of the user', () => {
  const params = { kind: 'model', name: 'm', section: 'models' };
  const error = { code: 'invalid_request', message: 'x', reason: 'resource_owned_by_file', params };
  expect(shown(error, 'zh')).toBe('模型 `m` 由配置文件定义，请在其 `models` 中修改。运行中的网关会在一秒内应用更改。');
});

test('a reached limit names its scope and its period in Chinese, and its reset in the time zone of the user', () => {
  const params = { scope: 'organisation', amount: '5.00', period: 'month', resets_at: '2026-12-01T00:00:00.000Z' };
  const error = { code: 'insufficient_balance', message: 'x', reason: 'limit_reached', params };
  expect(shown(error, 'zh')).toBe(
    '组织的每月消费限额 5.00 所剩额度不足以支付此请求的最高费用。请提高限额、等待限额于 2026年12月1日 08:00:00 重置，或调低 max_tokens。',
  );
  expect(shown(error, 'en')).toContain('The organisation has a spend limit of 5.00 per month.');
  expect(shown(error, 'en')).toContain('until it resets at Dec 1, 2026, 8:00:00');
  const total = { ...error, reason: 'total_limit_reached', params: { scope: 'member', amount: '5.00' } };
  expect(shown(total, 'zh')).toContain('成员的累计消费限额 5.00 所剩额度');
});

test('a field that breaks a rule is named by its label in the form, in both languages', () => {
  const problems: readonly FieldProblem[] = [
    { field: 'spend_cap', reason: 'number_too_small', params: { min: 0 }, fix: 'Correct it.' },
    { field: 'models[1]', reason: 'not_text', params: {} },
  ];
  const error = { code: 'invalid_request', message: 'x', reason: 'invalid_fields', params: {}, problems };
  expect(shown(error, 'en', { spend_cap: 'Spend cap', models: 'Models' })).toBe(
    '“Spend cap” must be at least 0. Correct it. “Models 2” must be text.',
  );
  expect(shown(error, 'zh', { spend_cap: '消费上限', models: '模型' })).toBe(
    '消费上限：不能小于 0。模型 2：必须是文本。',
  );
});

test('a problem at its field is a sentence without the name of the field', () => {
  const problem = { field: 'price_factor', reason: 'number_too_small', params: { min: 0 }, fix: 'Correct it.' };
  expect(ruleSentence(problem, { language: 'en', texts: sections, timeZone: 'UTC' })).toBe('Must be at least 0.');
  expect(ruleSentence(problem, { language: 'zh', texts: sections, timeZone: 'UTC' })).toBe('不能小于 0。');
});

test('an entry of a map has the label of the map and its name', () => {
  expect(labelOf('price.provider_tools.web_search', { 'price.provider_tools.*': 'Tool' })).toBe('Tool web_search');
  expect(labelOf('price.provider_tools', { 'price.provider_tools.*': 'Tool' })).toBeUndefined();
});

test('a rule and its fix name other fields by their labels', () => {
  const fix = 'Send a later time, or ask for `interval=day`.';
  const problems = [{ field: 'since', reason: 'span_too_long', params: { max: '31 days' }, fix }];
  const error = { code: 'invalid_request', message: 'x', reason: 'invalid_fields', params: {}, problems };
  expect(shown(error, 'en', { since: 'From', until: 'To', 'interval=day': 'Daily' })).toBe(
    '“From” must be at most 31 days before “To”. Send a later time, or ask for “Daily”.',
  );
  expect(shown(error, 'en', { since: 'From' })).toBe(`“From” must be at most 31 days before \`until\`. ${fix}`);
});

test('a field without a label keeps its name, and the body is called the body', () => {
  const problems: readonly FieldProblem[] = [
    { field: 'nmae', reason: 'unknown_name', params: {}, fix: 'Did you mean `name`?' },
    { field: '', reason: 'not_an_object', params: {} },
  ];
  const error = { code: 'invalid_request', message: 'x', reason: 'invalid_fields', params: {}, problems };
  expect(shown(error, 'en')).toBe('`nmae` is not a known field. Did you mean `name`? The body must be an object.');
  expect(shown(error, 'zh')).toBe('nmae：不是已知的字段。内容：必须是对象。');
});

test('an error of a model endpoint has only a code: English shows its message, Chinese the text of the code', () => {
  const denied = { code: 'access_denied', message: '模型不存在。The model does not exist.' };
  expect(shown(denied, 'en')).toBe('The model does not exist, or this key may not use it.');
  expect(shown(denied, 'zh')).toBe('模型不存在，或此密钥无权使用该模型。');
  const wrong = { code: 'invalid_request', message: 'temperature must be at most 2.' };
  expect(shown(wrong, 'en')).toBe(wrong.message);
  expect(shown(wrong, 'zh')).toBe('请求中有字段不符合要求。 (temperature must be at most 2.)');
  expect(shown({ code: 'context_length_exceeded', message: 'x' }, 'zh')).toBe('对话长度超出模型的上下文窗口。');
});

test('an unknown reason or code shows the message', () => {
  expect(shown({ code: 'invalid_request', message: 'New.', reason: 'brand_new' }, 'zh')).toBe('New.');
  expect(shown({ code: 'brand_new', message: 'New.' }, 'zh')).toBe('New.');
});
