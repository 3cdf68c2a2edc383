import { Select } from '@mantine/core';
import { useState } from 'react';
import { useAllRows } from '../../api/queries.ts';
import { useReplacing } from '../../api/replacing.ts';
import type { Account, AccountChange, Organisation } from '../../api/wire.ts';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { LimitFields, limitProblems, limitsOf, limitsText, limitValues } from '../../components/limit-fields.tsx';
import { texts as limitTexts } from '../../components/limit-texts.ts';
import { accountName } from '../../components/names.ts';
import { RadioList } from '../../components/radio-list.tsx';
import type { Strings } from '../../text/strings.ts';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';

export const termTexts = {
  change: ['Billing and limits', '计费与限额'],
  title: ['Billing and limits of {name}', '{name} 的计费与限额'],
  organisation: ['Organisation', '组织'],
  organisationHelp: [
    'Its models and limits hold for this account too. Keys of members who lose access are revoked.',
    '组织的模型和限额也适用于此账户。失去访问权限的成员，其密钥将被吊销。',
  ],
  none: ['None', '无'],
} as const satisfies Strings;

interface AccountTermsDialogProps {
  readonly account: Account;
  readonly onClose: () => void;
}

/** Changes how an account pays, its limits and its organisation. */
export function AccountTermsDialog({ account, onClose }: AccountTermsDialogProps) {
  const { t } = useText();
  const p = usePageText(termTexts);
  const l = usePageText(limitTexts);
  const [billing, setBilling] = useState(account.billing);
  const [limits, setLimits] = useState(() => limitValues(account.limits));
  const [organisation, setOrganisation] = useState(account.organisation_id ?? '');
  const problems = limitProblems(limits, t, l('badShare'));
  const organisations = useAllRows<Organisation>('/admin/v1/organisations').data ?? [];
  const names = organisations.map(({ id, name, display_name: shown }) => ({ value: id, label: shown ?? name }));
  const edit = useReplacing<Account, AccountChange>(account, {
    method: 'PATCH',
    path: `/admin/v1/accounts/${encodeURIComponent(account.id)}`,
    changes: ['/admin/v1/accounts', '/admin/v1/organisations'],
    onSaved: onClose,
    fieldsOf: ({ billing: mode, limits: own, organisation_id: id }) => ({
      billing: mode,
      limits: own,
      organisation: id,
    }),
    labels: { billing: l('billing'), limits: l('limits'), organisation: p('organisation') },
    valueText: (path, value) => {
      if (path === 'limits') return limitsText(value);
      if (path === 'billing') return l(value === 'postpaid' ? 'postpaid' : 'prepaid');
      return names.find((each) => each.value === value)?.label ?? p('none');
    },
  });
  const save = () => {
    if (Object.keys(problems).length > 0) return;
    edit.save({ billing, limits: limitsOf(limits), organisation: organisation === '' ? null : organisation });
  };
  return (
    <EntryDialog
      isOpen
      title={p('title', { name: accountName(account) })}
      edit={edit}
      onSubmit={save}
      onClose={onClose}
    >
      <RadioList
        label={l('billing')}
        value={billing}
        options={[
          { value: 'prepaid', label: l('prepaid'), description: l('prepaidHelp') },
          { value: 'postpaid', label: l('postpaid'), description: l('postpaidHelp') },
        ]}
        onChange={setBilling}
      />
      <LimitFields values={limits} problems={problems} onChange={setLimits} />
      <Select
        label={p('organisation')}
        description={p('organisationHelp')}
        data={[{ value: '', label: p('none') }, ...names]}
        value={organisation}
        onChange={(value) => setOrganisation(value ?? '')}
        allowDeselect={false}
      />
    </EntryDialog>
  );
}
