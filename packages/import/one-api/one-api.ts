import { decimalText } from 'chat-gateway-figures/money.ts';
import { FindingList } from '../findings.ts';
import type { Importer } from '../importer.ts';
import { reportLost } from '../lost-rows.ts';
import type { ImportPlan } from '../plan.ts';
import { planChannels } from './channels.ts';
import { planGroups } from './groups.ts';
import { planModels } from './models.ts';
import { planPeople } from './people.ts';
import { quotaReader } from './quota.ts';
import { isObjectText, isOn, type OneApiSource, readOneApi, wholeOf } from './source.ts';
import { withoutEndedUpgrades } from './subscriptions.ts';
import { planKeys } from './tokens.ts';

export const importNewApi: Importer = async (input) => planned(await readOneApi('new-api', input));

export const importOneApi: Importer = async (input) => planned(await readOneApi('one-api', input));

function planned(read: OneApiSource): ImportPlan {
  const source = { ...read, users: read.users.map((user) => withoutEndedUpgrades(user, read)) };
  const findings = new FindingList();
  const money = quotaReader(source.nanoPerQuota, findings);
  const { channels, upstreams } = planChannels(source, findings);
  const models = planModels(source, channels, findings);
  const groups = planGroups(source, channels, new Set(models.map(({ sourceId }) => sourceId)), findings);
  const { accounts, users, personOf } = planPeople(source, groups, money, findings);
  const keys = planKeys({ source, groups, money, personOf, findings });
  reportTables(source, findings);
  reportCodes(source, findings);
  reportSettings(source, findings);
  const { packages } = groups;
  return { organisations: [], accounts, users, keys, packages, upstreams, models, findings: findings.all };
}

function reportTables({ deleted, lost }: OneApiSource, findings: FindingList): void {
  for (const [table, rows] of Object.entries(deleted)) {
    if (rows > 0) findings.add('rows_deleted', { kind: 'table', sourceId: table }, { rows });
  }
  reportLost(lost, findings);
}

function reportCodes({ redemptions, nanoPerQuota, now }: OneApiSource, findings: FindingList): void {
  const open = redemptions.filter((row) => {
    const end = Number(wholeOf(row['expired_time']));
    return isOn(row) && (end === 0 || end * 1000 > now);
  });
  for (const [quota, same] of Map.groupBy(open, (row) => wholeOf(row['quota']))) {
    const amount = decimalText(nanoPerQuota.ofAmount(quota).value);
    findings.add('codes_not_taken', { kind: 'table', sourceId: 'redemptions' }, { count: same.length, amount });
  }
}

/** Settings that change what users get, and the value that means off. */
const settings: readonly (readonly [name: string, off: string, what: string])[] = [
  ['QuotaForNewUser', '0', 'the quota that new users get; use the credit of sign-ups of a site'],
  ['QuotaForInviter', '0', 'the quota for invitations'],
  ['QuotaForInvitee', '0', 'the quota for invited users'],
  ['TopupGroupRatio', '{}', 'the ratio of payments by group'],
  ['SensitiveWords', '', 'words that refuse a request'],
];

/** Options with prices and groups. The products use their defaults for one that they cannot read, and so does the import. */
const objectOptions = ['GroupRatio', 'GroupGroupRatio', 'ModelRatio', 'CompletionRatio'];

function reportSettings({ options }: OneApiSource, findings: FindingList): void {
  for (const field of objectOptions.filter((name) => !isObjectText(options.get(name)))) {
    findings.add('json_unreadable', { kind: 'setting', sourceId: field }, { field });
  }
  for (const [name, off, what] of settings) {
    const value = options.get(name)?.trim() ?? off;
    if (value !== off && value !== '' && value !== '0') {
      findings.add('setting_not_taken', { kind: 'setting', sourceId: name }, { what });
    }
  }
  if (options.get('ModelRequestRateLimitEnabled') === 'true') {
    findings.add('request_rates', { kind: 'setting', sourceId: 'ModelRequestRateLimit' }, { limits: 'The rate limit' });
  }
}
