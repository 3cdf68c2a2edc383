import { Select, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Account, Credit, Credited } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { useSession } from '../../api/session.ts';
import { amountProblem } from '../../components/input-problems.ts';
import { accountName } from '../../components/names.ts';
import { kindName } from '../../components/ledger-words.ts';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { useFormat } from '../../text/format.ts';
import { type FixedTextKey, useText } from '../../text/text.tsx';

type CreditKind = Credit['kind'];

export interface CreditDialogProps {
  readonly account: Account;
  readonly onClose: () => void;
}

/** Every kind, in the order of the menu. */
const help: Readonly<Record<CreditKind, FixedTextKey>> = {
  grant: 'accounts.grantHelp',
  top_up: 'accounts.topUpHelp',
  refund: 'accounts.refundHelp',
  adjust: 'accounts.adjustHelp',
};

/** Books a credit for an account. The reference makes a repeated submission harmless. */
export function CreditDialog({ account, onClose }: CreditDialogProps) {
  const { t } = useText();
  const format = useFormat();
  const { currency } = useSession();
  const form = useForm({
    initialValues: { kind: 'grant' as CreditKind, amount: '', reference: '', reason: '' },
    validate: {
      amount: (amount, { kind }) => amountProblem(amount, kind === 'adjust', t),
      reference: (reference) => (reference.trim() === '' ? t('common.required') : null),
      reason: (reason) => (reason.trim() === '' ? t('common.required') : null),
    },
  });
  const credit = useWrite<Credited, Credit>({
    path: `/admin/v1/accounts/${encodeURIComponent(account.id)}/credits`,
    changes: ['/admin/v1/accounts', '/admin/v1/audit'],
    successMessage: ({ amount }, { is_new: isNew }) =>
      isNew ? t('accounts.credited', { amount: format.money(amount, currency) }) : undefined,
  });
  const submit = form.onSubmit(({ kind, ...values }) => {
    const amount = values.amount.trim();
    const sent = { kind, amount, reference: values.reference.trim(), reason: values.reason.trim() };
    credit.mutate(sent, {
      onSuccess: ({ is_new: isNew }) => {
        // The form keeps its input: if the operator meant another credit, only the reference has to change.
        if (!isNew) return form.setFieldError('reference', t('accounts.creditedBefore'));
        return onClose();
      },
    });
  });
  const { kind, amount } = form.getValues();
  return (
    <EntryDialog
      isOpen
      title={t('accounts.creditTitle', { name: accountName(account) })}
      action={t('accounts.creditAction')}
      isBusy={credit.isPending}
      error={credit.error}
      labels={{
        kind: t('accounts.kind'),
        amount: t('accounts.amount', { currency }),
        reference: t('accounts.reference'),
        reason: t('accounts.reason'),
      }}
      onSubmit={submit}
      onClose={onClose}
    >
      <Select
        label={t('accounts.kind')}
        description={t(help[kind])}
        data={(Object.keys(help) as CreditKind[]).map((value) => ({ value, label: kindName(value, t) }))}
        allowDeselect={false}
        {...form.getInputProps('kind')}
      />
      <TextInput
        label={t('accounts.amount', { currency })}
        description={
          amountProblem(amount, kind === 'adjust', t) === null &&
          t('accounts.balanceAfter', { amount: format.money(sumOf(account.balance, amount), currency) })
        }
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        inputMode="decimal"
        data-autofocus
        withAsterisk
        {...form.getInputProps('amount')}
      />
      <TextInput
        label={t('accounts.reference')}
        description={t('accounts.referenceHelp')}
        maxLength={200}
        withAsterisk
        {...form.getInputProps('reference')}
      />
      <Textarea
        label={t('accounts.reason')}
        description={t('accounts.reasonHelp')}
        maxLength={500}
        autosize
        minRows={2}
        withAsterisk
        {...form.getInputProps('reason')}
      />
    </EntryDialog>
  );
}

/** An estimate for display; the gateway computes the booked balance. */
function sumOf(balance: string, amount: string): string {
  return (Number(balance) + Number(amount)).toFixed(6);
}
