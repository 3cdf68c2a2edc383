import type { FindingList } from '../findings.ts';
import { modelPatternForm, shownName } from '../item-name.ts';
import type { PlannedKey } from '../plan.ts';
import { Secret } from '../secret.ts';
import { isTrue, type Row } from '../table-reader.ts';
import { defaultGroup, groupOf, type Groups } from './groups.ts';
import type { QuotaReader } from './quota.ts';
import { listed, type OneApiSource, wholeOf } from './source.ts';

interface TokenParts {
  readonly source: OneApiSource;
  readonly groups: Groups;
  readonly money: QuotaReader;
  readonly personOf: (userId: string) => string | undefined;
  readonly findings: FindingList;
}

/** Every token becomes a key of the account of its user. */
export function planKeys(parts: TokenParts): readonly PlannedKey[] {
  const owners = new Map(parts.source.users.map((user) => [user['id'], user]));
  return parts.source.tokens.flatMap((row) => {
    const owner = owners.get(row['user_id']);
    const subject = { kind: 'key', sourceId: row['id'] ?? '' } as const;
    const value = valueOf(row);
    if (!owner) parts.findings.add('key_owner_missing', subject, { user: row['user_id'] ?? '' });
    else if (value === undefined) parts.findings.add('key_value_unusable', subject);
    else return [plannedKey(parts, row, owner, value)];
    return [];
  });
}

/** The products look up the part before the first hyphen, without `sk-`. Another key could not be used there. */
function valueOf(row: Row): string | undefined {
  const value = (row['key'] ?? '').trim().replace(/^sk-/, '');
  return /^[!-,./-~]{8,128}$/.test(value) ? value : undefined;
}

function plannedKey(parts: TokenParts, row: Row, owner: Row, value: string): PlannedKey {
  const { source, personOf, findings } = parts;
  const sourceId = row['id'] ?? '';
  const subject = { kind: 'key', sourceId } as const;
  const { spendCap, spent } = moneyOf(parts, row);
  const models = modelsOf(parts, row, owner);
  const addresses = addressesOf(source, row, findings);
  const expiresAt = expiryOf(row);
  const isExhausted = row['status'] === '4';
  const isExpired = row['status'] === '3' && expiresAt !== undefined && expiresAt <= source.now;
  const isOff = row['status'] !== '1' && !isExhausted && !isExpired;
  if (isExhausted) findings.add('key_exhausted', subject);
  if (isOff) findings.add('key_off', subject);
  if (models === 'none') findings.add('key_models_none', subject);
  const isRevoked = isOff || models === 'none' || addresses === 'none';
  return {
    sourceId,
    account: owner['id'] ?? '',
    member: personOf(owner['id'] ?? ''),
    name: shownName(row['name']) ?? `key-${sourceId}`,
    secret: { form: 'new-api', value: new Secret(value) },
    models: models === 'none' ? undefined : models,
    spendCap,
    spent,
    addresses: addresses === 'none' ? undefined : addresses,
    expiresAt,
    status: isRevoked ? 'revoked' : 'active',
  };
}

/** What remains stays exact: the cap is the spend so far and the rest. */
function moneyOf({ money }: TokenParts, row: Row): { readonly spendCap: bigint | undefined; readonly spent: bigint } {
  const subject = { kind: 'key', sourceId: row['id'] ?? '' } as const;
  const used = money(row['used_quota'], 'used_quota', subject);
  const spent = used > 0n ? used : 0n;
  if (isTrue(row['unlimited_quota'])) return { spendCap: undefined, spent };
  const remain = money(row['remain_quota'], 'remain_quota', subject);
  // The source refuses an exhausted key until it is switched on again.
  const rest = row['status'] === '4' && remain > 0n ? 0n : remain;
  return { spendCap: spent + rest > 0n ? spent + rest : 0n, spent };
}

/** The end of the year 9999: later times cannot be shown or stored. */
const expirySecondsMax = 253_402_300_799n;

/** -1 is never, and so is a time beyond all others. */
function expiryOf(row: Row): number | undefined {
  const seconds = wholeOf(row['expired_time'] ?? '-1');
  return seconds < 0n || seconds > expirySecondsMax ? undefined : Number(seconds) * 1000;
}

/** `undefined`: all models. */
function modelsOf(parts: TokenParts, row: Row, owner: Row): readonly string[] | 'none' | undefined {
  const { source, groups, findings } = parts;
  const isLimited = source.product === 'new-api' ? isTrue(row['model_limits_enabled']) : (row['models'] ?? '') !== '';
  const own = isLimited ? listed(source.product === 'new-api' ? row['model_limits'] : row['models']) : undefined;
  if (own?.length === 0) return 'none';
  const limited = own?.filter((model) => modelPatternForm.test(model));
  const group = row['group'] ?? '';
  const ofUser = groupOf(owner['group'] ?? defaultGroup);
  if (source.product === 'one-api' || group === '' || group === ofUser) return nonEmpty(limited);
  const subject = { kind: 'key', sourceId: row['id'] ?? '' } as const;
  if (group === 'auto') {
    findings.add('key_group_auto', subject, { own: ofUser });
    return nonEmpty(limited);
  }
  const [factor, ownFactor] = [groups.factor(ofUser, group), groups.factor(ofUser, ofUser)];
  if (!factor.equals(ownFactor)) {
    const texts = { factor: factor.roundedUp(6).text, ownFactor: ownFactor.roundedUp(6).text };
    findings.add('key_group_lost', subject, { group, own: ofUser, ...texts });
    return nonEmpty(limited);
  }
  findings.add('key_group_narrowed', subject, { group, own: ofUser });
  const ofGroup = groups.modelsIn(group);
  return nonEmpty(limited ? limited.filter((model) => ofGroup.includes(model)) : ofGroup);
}

function nonEmpty(models: readonly string[] | undefined): readonly string[] | 'none' | undefined {
  return models?.length === 0 ? 'none' : models;
}

/** new-api has lines, one-api a list with commas. A key must not become usable from everywhere. */
function addressesOf(
  { product, target }: OneApiSource,
  row: Row,
  findings: FindingList,
): readonly string[] | 'none' | undefined {
  const text = (product === 'new-api' ? row['allow_ips'] : row['subnet']) ?? '';
  const given = text
    .split(product === 'new-api' ? '\n' : ',')
    .map((part) => part.replace(/[\s,]/g, ''))
    .filter((part) => part !== '');
  if (given.length === 0) return undefined;
  const unreadable = given.filter((part) => !target.isAddressOrRange(part));
  if (unreadable.length > 0) {
    const subject = { kind: 'key', sourceId: row['id'] ?? '' } as const;
    findings.add('key_addresses_unreadable', subject, { addresses: unreadable.join(', ') });
  }
  const readable = [...new Set(given.filter((part) => target.isAddressOrRange(part)))].slice(0, addressesMax);
  return readable.length === 0 ? 'none' : readable;
}

const addressesMax = 100;

/** Printable characters only, as the catalog wants them. */
