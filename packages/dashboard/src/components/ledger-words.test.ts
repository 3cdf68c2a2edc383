import { expect, test } from 'vitest';
import { billing } from '../strings/billing.ts';
import type { Translate } from '../text/text.tsx';
import { actorText, kindName, reasonText } from './ledger-words.ts';

const chinese = ((key: string, values: Readonly<Record<string, string>> = {}) => {
  const text = (billing as unknown as Readonly<Record<string, readonly string[]>>)[key.slice('billing.'.length)]?.[1];
  return text?.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '') ?? key;
}) as Translate;

test('reasons that the gateway wrote are translated, reasons that people typed stay unchanged', () => {
  expect(reasonText('redemption code NKHC…9K', chinese)).toBe('兑换码 NKHC…9K');
  expect(reasonText('request', chinese)).toBe('请求');
  expect(
    reasonText('request; not all of it could be charged, for its money was set aside for others meanwhile', chinese),
  ).toMatch(/^请求 \P{ASCII}+$/u);
  expect(reasonText('invoice 17; paid late', chinese)).toBe('invoice 17; paid late');
  expect(actorText('configuration', chinese)).toBe('配置文件');
  expect(actorText('ada@example.com', chinese)).toBe('ada@example.com');
  expect(kindName('charge-rest', chinese)).toBe('扣费更正');
});
