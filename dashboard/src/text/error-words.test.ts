import { beforeAll, expect, test } from 'vitest';
import { errorWords, loadErrorWords } from './error-words.ts';

beforeAll(() => loadErrorWords('zh'));

test('the message that begins in Chinese is told to English readers in English, and the other way round', () => {
  const denied = { code: 'access_denied', message: '模型不存在。The model does not exist.' };
  expect(errorWords(denied, 'en')).toBe('The model does not exist, or this key may not use it.');
  expect(errorWords(denied, 'zh')).toBe('模型不存在，或此密钥无权使用该模型。');
});

test('what the gateway says in English is told in Chinese by its code or its detail', () => {
  expect(errorWords({ code: 'forbidden', message: 'You may not.' }, 'zh')).toContain('没有权限');
  const taken = { code: 'invalid_request', message: '`name` is taken by another account. Choose another name.' };
  expect(errorWords(taken, 'zh')).toBe('该名称已被占用，请换一个。');
  expect(errorWords(taken, 'en')).toBe(taken.message);
});

test('who has an account already is told to sign in', () => {
  const known = { code: 'invalid_request', message: 'That address is known here already. Sign in instead.' };
  expect(errorWords(known, 'zh')).toBe('此邮箱地址已被使用，请直接登录。');
});

test.each([
  ['`name` is missing. Add `name`. What people call it.', 'name：不能为空。'],
  ['`password` must have at least 10 characters. Correct the value.', 'password：至少需要 10 个字符。'],
  ['`role` must be `owner` or `member`. Write one of owner, member.', 'role：必须是 `owner` 或 `member`。'],
  ['`amount` must be from 5 to 500.', 'amount：必须在 5 到 500 之间。'],
  ['`limits.at_once` must be at most 1000. Correct it.', 'limits.at_once：不能大于 1000。'],
  ['The body must be a group of names and values. Known here: name.', '内容：必须是一组名称与值。'],
  [
    '`nmae` is not a known name. Did you mean `name`? `spend_cap` must be a decimal in quotes, with at most 9 digits before and after the point. Correct it.',
    'nmae：不是已知的字段。spend_cap：必须是十进制数，小数点前后各最多 9 位。',
  ],
  [
    'The model `m`: routes[0].upstream names `nope`, which is not among `upstreams`; price.input must be a decimal number with at most 9 digits before and 9 after the point, not negative Add it.',
    'routes[0].upstream：所指的 nope 不存在。price.input：必须是不为负的十进制数，小数点前最多 9 位，小数点后最多 9 位。',
  ],
  ['This is the last owner. Make someone else an owner first.', '这是最后一位所有者，请先将他人设为所有者。'],
])('a broken rule is told whole in Chinese: %s', (message, chinese) => {
  expect(errorWords({ code: 'invalid_request', message }, 'zh')).toBe(chinese);
  expect(errorWords({ code: 'invalid_request', message }, 'en')).toBe(message);
});

test('an account without money and a key at its cap are told apart in Chinese too', () => {
  const told = (message: string) => errorWords({ code: 'insufficient_balance', message }, 'zh');
  const rest = 'does not cover the most this request could cost.';
  expect(told(`The balance of this account ${rest} Top it up, or lower max_tokens.`)).toMatch(/^账户余额不足.*请充值/);
  expect(told(`What this key may spend ${rest}`)).toMatch(/^此密钥的消费上限.*提高上限/);
  expect(told(`This key may spend 0.02 in all, and what is left of that ${rest}`)).toMatch(/^此密钥的消费上限/);
  expect(told('No money.')).toContain('账户余额或此密钥的消费上限');
});

test('a field goes by what its form calls it, in both languages', () => {
  const message = '`spend_cap` must be at least 0. Correct it. `models[1]` must be text.';
  const labels = { spend_cap: 'Spend cap', models: 'Models' };
  expect(errorWords({ code: 'invalid_request', message }, 'en', labels)).toBe(
    '“Spend cap” must be at least 0. Correct it. “Models 2” must be text.',
  );
  expect(errorWords({ code: 'invalid_request', message }, 'zh', { spend_cap: '消费上限', models: '模型' })).toBe(
    '消费上限：不能小于 0。模型 2：必须是文本。',
  );
});

test('where no words are known, those of the gateway are better than none', () => {
  expect(errorWords({ code: 'invalid_request', message: '`weight` is purple.' }, 'zh')).toContain('`weight`');
  expect(errorWords({ code: 'brand_new', message: 'New.' }, 'zh')).toBe('New.');
});
