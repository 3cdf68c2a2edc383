import { Button, Skeleton, Text, TextInput, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useAccount } from '../../api/account.tsx';
import { useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import type { BillingDetails, BillingDetailsChange, BillingParty } from '../../api/wire.ts';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useFieldProblems } from '../../components/field-problems.ts';
import { SectionCard } from '../../components/section-card.tsx';
import { EditIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import classes from './billing.module.css';
import { texts } from './document-texts.ts';

const path = '/account/v1/billing-details';

/** The name and address that documents print for the account, and the seller. Owners can change the former. */
export function BillingDetailsCard() {
  const p = usePageText(texts);
  const { name: accountName, role, isForeign } = useAccount();
  const [isEditing, editing] = useDisclosure(false);
  const { data: details, error, refetch } = useRead<BillingDetails>(path);
  const mayEdit = role === 'owner' && !isForeign;
  return (
    <SectionCard
      title={p('details')}
      text={p('detailsText')}
      action={
        mayEdit &&
        details && (
          <Button variant="default" leftSection={<EditIcon size={16} />} onClick={editing.open}>
            {p('edit')}
          </Button>
        )
      }
    >
      {error && !details && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!details && !error && <Skeleton height={72} />}
      {details && (
        <Parties
          seller={details.seller}
          customer={{ ...details, name: details.name ?? p('accountName', { name: accountName }) }}
        />
      )}
      {isEditing && details && <DetailsDialog details={details} onClose={editing.close} />}
    </SectionCard>
  );
}

interface PartiesProps {
  readonly seller: BillingParty | null;
  readonly customer: BillingParty;
}

/** The seller and the customer, side by side if there is room. */
export function Parties({ seller, customer }: PartiesProps) {
  const p = usePageText(texts);
  return (
    <div className={classes['parties']}>
      {seller && <PartyLines label={p('from')} party={seller} />}
      <PartyLines label={p('to')} party={customer} />
    </div>
  );
}

function PartyLines({ label, party }: { readonly label: string; readonly party: BillingParty }) {
  const p = usePageText(texts);
  const tax = party.tax_number === null ? null : `${p('taxNumber')} ${party.tax_number}`;
  const lines = [...party.address, party.country, tax, party.email].filter((line) => line !== null);
  return (
    <div className={classes['words']}>
      <Text fz="xs" c="dimmed">
        {label}
      </Text>
      <Text fw={600}>{party.name}</Text>
      {lines.map((line, index) => (
        <Text key={`${index} ${line}`} fz="sm">
          {line}
        </Text>
      ))}
    </div>
  );
}

interface DetailsForm {
  readonly name: string;
  /** Lines. */
  readonly address: string;
  readonly country: string;
  readonly taxNumber: string;
  readonly email: string;
}

function DetailsDialog({ details, onClose }: { readonly details: BillingDetails; readonly onClose: () => void }) {
  const p = usePageText(texts);
  const form = useForm<DetailsForm>({ initialValues: formOf(details) });
  const labels = {
    name: p('name'),
    address: p('address'),
    country: p('country'),
    tax_number: p('taxNumber'),
    email: p('email'),
  };
  const write = useWrite<BillingDetails, BillingDetailsChange>({
    method: 'PUT',
    path,
    changes: [path, '/account/v1/statements'],
    successMessage: () => p('saved'),
  });
  useFieldProblems(form, write.error, { labels });
  const submit = form.onSubmit((values) => write.mutate(changeOf(values), { onSuccess: onClose }));
  return (
    <EntryDialog
      isOpen
      title={p('details')}
      isBusy={write.isPending}
      error={write.error}
      labels={labels}
      onSubmit={() => submit()}
      onClose={onClose}
    >
      <TextInput label={p('name')} description={p('nameHelp')} data-autofocus {...form.getInputProps('name')} />
      <Textarea
        label={p('address')}
        description={p('addressHelp')}
        autosize
        minRows={3}
        {...form.getInputProps('address')}
      />
      <TextInput label={p('country')} {...form.getInputProps('country')} />
      <TextInput label={p('taxNumber')} {...form.getInputProps('taxNumber')} />
      <TextInput label={p('email')} type="email" {...form.getInputProps('email')} />
    </EntryDialog>
  );
}

function formOf({ name, address, country, tax_number: taxNumber, email }: BillingDetails): DetailsForm {
  const texts = { name: name ?? '', country: country ?? '', taxNumber: taxNumber ?? '', email: email ?? '' };
  return { ...texts, address: address.join('\n') };
}

function changeOf({ name, address, country, taxNumber, email }: DetailsForm): BillingDetailsChange {
  const orNull = (text: string) => (text.trim() === '' ? null : text.trim());
  const lines = address.split('\n').map((line) => line.trim());
  return {
    name: orNull(name),
    address: lines.filter((line) => line !== ''),
    country: orNull(country),
    tax_number: orNull(taxNumber),
    email: orNull(email),
  };
}
