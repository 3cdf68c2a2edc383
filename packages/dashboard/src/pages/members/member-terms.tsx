import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useReplacing } from '../../api/replacing.ts';
import type { AccountMemberChange, Member, MemberChange } from '../../api/wire.ts';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { LimitFields, limitProblems, limitsOf, limitsText, limitValues } from '../../components/limit-fields.tsx';
import { texts as limitTexts } from '../../components/limit-texts.ts';
import { LimitWindows } from '../../components/limit-windows.tsx';
import { ModelNames } from '../../components/model-names.tsx';
import type { Strings } from '../../text/strings.ts';
import { usePageText } from '../../text/page-text.ts';
import { useSession } from '../../api/session.ts';
import { Dash } from '../../components/money.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { isCount } from '../keys/key-form-values.ts';

export const memberTexts = {
  action: ['Limits and models', '限额与模型'],
  title: ['Limits of {name}', '{name} 的限额'],
  help: [
    'They hold for all keys of this member in this account together, in addition to the limits of each key.',
    '对该成员在此账户的全部密钥合计生效，各密钥自身的限额同样有效。',
  ],
  models: ['Models', '模型'],
  modelsHelp: [
    'Models that their keys may use. Empty: all models of the account.',
    '其密钥可用的模型。留空则可用账户的全部模型。',
  ],
  concurrency: ['Requests at once', '并发请求数'],
  concurrencyHelp: ['Of all their keys together. Further requests wait.', '其全部密钥合计，超出的请求会排队。'],
  badCount: ['Enter a whole number from 1 to 10000', '请填写 1 到 10000 的整数'],
  spent: ['Spent of limit', '已用限额'],
  keys: [{ one: '{count} key', other: '{count} keys' }, '{count} 个密钥'],
  removeText: [
    'They lose access to {account} at once, and the keys that count for them are revoked. To keep a key, let it count for another member first: under Keys, edit the key.',
    '该成员将立即失去对 {account} 的访问权限，归属该成员的密钥将被吊销。如需保留某个密钥，请先在“密钥”页面编辑该密钥，将其改归其他成员。',
  ],
} as const satisfies Strings;

interface MemberTermsDialogProps {
  readonly member: Member;
  /** The account, if an operator changes its member. */
  readonly accountId?: string;
  readonly onClose: () => void;
}

/** Changes what the keys of a member may spend and use. */
export function MemberTermsDialog({ member, accountId, onClose }: MemberTermsDialogProps) {
  const { t } = useText();
  const p = usePageText(memberTexts);
  const l = usePageText(limitTexts);
  const [limits, setLimits] = useState(() => limitValues(member.limits));
  const [models, setModels] = useState<string[]>([...(member.models ?? [])]);
  const [count, setCount] = useState(member.max_concurrency === null ? '' : String(member.max_concurrency));
  const problems = limitProblems(limits, t, l('badShare'));
  const isBadCount = count.trim() !== '' && !isCount(count);
  const edit = useReplacing<Member, MemberChange | AccountMemberChange>(member, {
    method: 'PATCH',
    path:
      accountId === undefined
        ? `/account/v1/members/${encodeURIComponent(member.id)}`
        : `/admin/v1/accounts/${encodeURIComponent(accountId)}/members`,
    changes: ['/account/v1/members', '/admin/v1/accounts'],
    onSaved: onClose,
    fieldsOf: (each) => ({ limits: each.limits, models: each.models, max_concurrency: each.max_concurrency }),
    labels: { limits: l('limits'), models: p('models'), max_concurrency: p('concurrency') },
    lists: { models: 'set' },
    valueText: (path, value) => (path === 'limits' ? limitsText(value) : undefined),
  });
  const save = () => {
    if (Object.keys(problems).length > 0 || isBadCount) return;
    const terms = {
      limits: limitsOf(limits),
      models: models.length > 0 ? models : null,
      max_concurrency: count.trim() === '' ? null : Number(count),
    };
    edit.save(accountId === undefined ? terms : { member: member.id, ...terms });
  };
  return (
    <EntryDialog isOpen title={p('title', { name: member.name })} edit={edit} onSubmit={save} onClose={onClose}>
      <Text fz="sm" c="dimmed">
        {p('help')}
      </Text>
      {member.windows.length > 0 && <LimitWindows windows={member.windows} />}
      <LimitFields values={limits} problems={problems} onChange={setLimits} />
      <ModelNames
        label={p('models')}
        description={p('modelsHelp')}
        isOfOperator={accountId !== undefined}
        value={models}
        onChange={setModels}
      />
      <TextInput
        label={p('concurrency')}
        description={p('concurrencyHelp')}
        placeholder={l('none')}
        inputMode="numeric"
        error={isBadCount ? p('badCount') : null}
        value={count}
        onChange={({ currentTarget }) => setCount(currentTarget.value)}
      />
    </EntryDialog>
  );
}

/** The limit of a member with the smallest rest, and what is spent of it. */
export function SpentOfLimit({ member }: { readonly member: Member }) {
  const l = usePageText(limitTexts);
  const format = useFormat();
  const { currency } = useSession();
  const tightest = member.windows.toSorted((one, other) => Number(one.left) - Number(other.left))[0];
  if (!tightest) return <Dash />;
  const { period, spent, amount } = tightest;
  const text = l('of', { spent: format.money(spent, currency), amount: format.money(amount, currency) });
  return (
    <Text span inherit title={l(`period_${period}`)}>
      {text}
    </Text>
  );
}
