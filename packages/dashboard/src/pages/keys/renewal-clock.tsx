import { Anchor, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { useReplacing } from '../../api/replacing.ts';
import type { Account } from '../../api/wire.ts';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { useText } from '../../text/text.tsx';
import { timeZones } from '../../text/time-zone.ts';

export interface CapTimeZoneProps {
  readonly account: Account;
  /** The API path at which this user changes the account. */
  readonly path: string;
  readonly mayChange: boolean;
}

/** Shows the time zone in which caps reset, and lets the user change it. */
export function CapTimeZone({ account, path, mayChange }: CapTimeZoneProps) {
  const { t } = useText();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Text fz="sm" c="dimmed" mt="md">
      {t('keys.capTimeZone', { zone: account.time_zone })}{' '}
      {mayChange && (
        <Anchor component="button" type="button" fz="sm" onClick={() => setIsOpen(true)}>
          {t('keys.capTimeZoneChange')}
        </Anchor>
      )}
      {isOpen && <TimeZoneDialog account={account} path={path} onClose={() => setIsOpen(false)} />}
    </Text>
  );
}

interface TimeZoneDialogProps {
  readonly account: Account;
  readonly path: string;
  readonly onClose: () => void;
}

function TimeZoneDialog({ account, path, onClose }: TimeZoneDialogProps) {
  const { t } = useText();
  const [chosen, setChosen] = useState(account.time_zone);
  const edit = useReplacing<Account, { readonly time_zone: string }>(account, {
    method: 'PATCH',
    path,
    changes: ['/account/v1/account', '/account/v1/keys', '/admin/v1/accounts', '/admin/v1/keys'],
    onSaved: onClose,
    fieldsOf: ({ time_zone }) => ({ time_zone }),
    labels: { time_zone: t('keys.capTimeZoneLabel') },
  });
  return (
    <EntryDialog
      isOpen
      title={t('keys.capTimeZoneTitle')}
      edit={edit}
      onSubmit={() => edit.save({ time_zone: chosen })}
      onClose={onClose}
    >
      <Select
        label={t('keys.capTimeZoneLabel')}
        description={t('keys.capTimeZoneHelp')}
        data={[...new Set([account.time_zone, ...timeZones()])]}
        value={chosen}
        onChange={(zone) => zone !== null && setChosen(zone)}
        allowDeselect={false}
        searchable
        data-autofocus
      />
    </EntryDialog>
  );
}
