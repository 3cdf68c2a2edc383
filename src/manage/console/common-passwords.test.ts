import { expect, test } from 'vitest';
import { isCommonPassword } from './common-passwords.ts';

test.each([
  '1234567890',
  '0987654321',
  'Password123!',
  'qwertyuiop',
  '1q2w3e4r5t',
  'aaaaaaaaaaaa',
  'abababababab',
  'abcabcabcabc',
  'Administrator',
  'welcome2026',
  'ｐａｓｓｗｏｒｄ12',
  '!!!!!!!!!!!!',
])('%s is a common password', (password) => {
  expect(isCommonPassword(password)).toBe(true);
});

test.each([
  'correct horse battery',
  'a password of hers',
  'Xk3$pd-91qL',
  '用一个很长的密码句子吧',
  'football in the rain',
])('%s is not a common password', (password) => {
  expect(isCommonPassword(password)).toBe(false);
});
