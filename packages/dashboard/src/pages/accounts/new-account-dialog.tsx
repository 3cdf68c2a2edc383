import { Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import type { Account } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { useSession } from '../../api/session.ts';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { amountProblem, nameProblem } from '../../components/input-problems.ts';
import { texts as limitTexts } from '../../components/limit-texts.ts';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';

export interface NewAccountDialogProps {
  readonly packageNames: readonly string[];
  readonly onClose: () => void;
}

interface NewAccount {
  readonly name: string;
  readonly billing: Account['billing'];
  readonly package: string;
  readonly credit?: string;
}

/** Creates an account and opens its page. */
export function NewAccountDialog({ packageNames, onClose }: NewAccountDialogProps) {
  const { t } = useText();
  const l = usePageText(limitTexts);
  const { currency } = useSession();
  const navigate = useNavigate();
  const form = useForm({
    initialValues: {
      name: '',
      package: defaultPackage(packageNames),
      credit: '',
      billing: 'prepaid' as Account['billing'],
    },
    validate: {
      name: (name) => nameProblem(name, t),
      credit: (credit) => (credit.trim() === '' ? null : amountProblem(credit, false, t)),
    },
  });
  const create = useWrite<Account, NewAccount>({
    path: '/admin/v1/accounts',
    changes: ['/admin/v1/accounts'],
    successMessage: ({ name }) => t('accounts.added', { name }),
  });
  const submit = form.onSubmit((values) => {
    const credit = values.credit.trim();
    create.mutate(
      {
        name: values.name.trim(),
        billing: values.billing,
        package: values.package || defaultPackage(packageNames),
        ...(credit && { credit }),
      },
      {
        onSuccess: ({ id }) => void navigate({ to: `/app/operator/accounts/${encodeURIComponent(id)}` }),
      },
    );
  });
  return (
    <EntryDialog
      isOpen
      isInAddress
      title={t('accounts.addTitle')}
      action={t('accounts.addAction')}
      isBusy={create.isPending}
      error={create.error}
      labels={{ name: t('common.name'), package: t('accounts.package'), credit: t('accounts.firstCredit') }}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label={t('common.name')}
        description={t('accounts.nameHelp')}
        maxLength={64}
        data-autofocus
        withAsterisk
        {...form.getInputProps('name')}
      />
      <Select
        label={t('accounts.package')}
        data={[...packageNames]}
        allowDeselect={false}
        withAsterisk
        {...form.getInputProps('package')}
      />
      <Select
        label={l('billing')}
        description={l(form.values.billing === 'postpaid' ? 'postpaidHelp' : 'prepaidHelp')}
        data={(['prepaid', 'postpaid'] as const).map((value) => ({ value, label: l(value) }))}
        allowDeselect={false}
        {...form.getInputProps('billing')}
      />
      <TextInput
        label={t('accounts.firstCredit')}
        description={t('accounts.firstCreditHelp', { currency })}
        inputMode="decimal"
        {...form.getInputProps('credit')}
      />
    </EntryDialog>
  );
}

function defaultPackage(names: readonly string[]): string {
  return names.includes('standard') ? 'standard' : (names[0] ?? '');
}
