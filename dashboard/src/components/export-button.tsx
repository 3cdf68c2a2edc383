import { Button } from '@mantine/core';
import { useState } from 'react';
import { useAccountChoice } from '../api/account.tsx';
import type { ApiError } from '../api/api-error.ts';
import type { Query } from '../api/call.ts';
import { download } from '../api/download.ts';
import { FileIcon } from '../icons.tsx';
import { useErrorText } from '../text/error-text.ts';
import type { FieldLabels } from '../text/field-labels.ts';
import { tellFailure } from '../text/tell.ts';
import { useText } from '../text/text.tsx';

interface ExportButtonProps {
  readonly path: string;
  readonly query: Query;
  /** Without its ending; the account's name stands behind it where it is one's own table. */
  readonly name: string;
  /** What the page calls what a refusal names. */
  readonly labels?: FieldLabels;
}

/** Saves the lines that are shown, and those on the pages to come, as a table for spreadsheets. */
export function ExportButton({ path, query, name, labels }: ExportButtonProps) {
  const { t } = useText();
  const errorText = useErrorText(labels);
  const { account } = useAccountChoice();
  const own = path.startsWith('/account/') ? account : undefined;
  const [isBusy, setIsBusy] = useState(false);
  const save = async () => {
    setIsBusy(true);
    try {
      await download(path, { query, account: own?.id, fileName: `${own ? `${name}-${own.name}` : name}.csv` });
    } catch (error) {
      tellFailure(t('common.errorTitle'), errorText(error as ApiError));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button variant="default" leftSection={<FileIcon size={16} />} loading={isBusy} onClick={() => void save()}>
      {t('common.export')}
    </Button>
  );
}
