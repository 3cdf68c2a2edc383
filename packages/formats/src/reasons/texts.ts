import { errorTable } from '../error-table.ts';
import { reasonOfCase } from './reason.ts';
import { refusals } from './refusals.ts';
import type { Text, Texts } from './text.ts';

/** By the contract, the message of this code begins in Chinese. English readers need only the English half. */
const accessDenied = 'The model does not exist, or this key may not use it.';

function caseTexts(): Texts {
  const rows = Object.entries(errorTable) as [keyof typeof errorTable, (typeof errorTable)[keyof typeof errorTable]][];
  return Object.fromEntries(
    rows.map(([name, row]): [string, Text] => [
      reasonOfCase(name),
      [row.code === 'access_denied' ? accessDenied : row.text, row.chinese],
    ]),
  );
}

/** The text of every reason that our own APIs can return, in English and Chinese. */
export const reasonTexts: Texts = { ...caseTexts(), ...refusals };

/** The values of parameters that are words: a `kind` of resource, the `scope` and the `period` of a limit. */
export const wordTexts = {
  account: ['account', '账户'],
  alerts: ['alerts', '提醒'],
  day: ['day', '日'],
  key: ['key', '密钥'],
  member: ['member', '成员'],
  model: ['model', '模型'],
  month: ['month', '月'],
  operator: ['operator', '运营人员'],
  organisation: ['organisation', '组织'],
  package: ['package', '套餐'],
  person: ['user', '用户'],
  site: ['site', '站点'],
  upstream: ['upstream', '上游'],
  webhook: ['webhook endpoint', 'Webhook 端点'],
  week: ['week', '周'],
} as const satisfies Texts;
