import { expect, test } from 'vitest';
import { errorText } from './error-text.ts';

test('the message that begins in Chinese is told to English readers in English, and the other way round', () => {
  const denied = { code: 'access_denied', message: '模型不存在。The model does not exist.' };
  expect(errorText(denied, 'en')).toBe('The model does not exist, or this key may not use it.');
  expect(errorText(denied, 'zh')).toBe('模型不存在，或此密钥无权使用该模型。');
});

test('what the gateway says in English is told in Chinese by its code or its detail', () => {
  expect(errorText({ code: 'forbidden', message: 'You may not.' }, 'zh')).toContain('没有权限');
  const taken = { code: 'invalid_request', message: '`name` is taken by another account. Choose another name.' };
  expect(errorText(taken, 'zh')).toBe('该名称已被占用，请换一个。');
  expect(errorText(taken, 'en')).toBe(taken.message);
});

test('where no words are known, those of the gateway are better than none', () => {
  expect(errorText({ code: 'invalid_request', message: '`weight` must be 1 to 100.' }, 'zh')).toContain('`weight`');
  expect(errorText({ code: 'brand_new', message: 'New.' }, 'zh')).toBe('New.');
});
