import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import type { ApiError } from '../../api/api-error.ts';
import { FileIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { downloadLedger } from './download.ts';
import type { LedgerQuery } from './ledger-query.ts';

/** Saves the lines that are shown, and those on the pages to come, as a table for spreadsheets. */
export function ExportButton({ query }: { readonly query: LedgerQuery }) {
  const { t } = useText();
  const { id, name } = useAccount();
  const [isBusy, setIsBusy] = useState(false);
  const save = async () => {
    setIsBusy(true);
    try {
      await downloadLedger(id, `ledger-${name}.csv`, query);
    } catch (error) {
      notifications.show({ color: 'red', title: t('common.errorTitle'), message: (error as ApiError).message });
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button variant="default" leftSection={<FileIcon size={16} />} loading={isBusy} onClick={() => void save()}>
      {t('billing.export')}
    </Button>
  );
}
