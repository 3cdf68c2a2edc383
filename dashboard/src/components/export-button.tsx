import { ActionIcon, Button } from '@mantine/core';
import { useState } from 'react';
import { useAccountChoice } from '../api/account.tsx';
import type { ApiError } from '../api/api-error.ts';
import type { Query } from '../api/call.ts';
import { download } from '../api/download.ts';
import { FileIcon } from '../icons.tsx';
import { type FieldLabels, useErrorText } from '../text/error-text.ts';
import { notifyFailure } from '../text/notify.ts';
import { useText } from '../text/text.tsx';

interface ExportButtonProps {
  readonly path: string;
  readonly query: Query;
  /** The file name without extension. For a table of the user's account, the account name is appended. */
  readonly name: string;
  /** The labels of the fields that an error may name. */
  readonly labels?: FieldLabels;
}

/** Saves all rows of the list, including those not loaded yet, as a CSV file. */
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
      notifyFailure(t('common.errorTitle'), errorText(error as ApiError));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <>
      <Button
        visibleFrom="sm"
        variant="default"
        leftSection={<FileIcon size={16} />}
        loading={isBusy}
        onClick={() => void save()}
      >
        {t('common.export')}
      </Button>
      <ActionIcon
        hiddenFrom="sm"
        variant="default"
        size={36}
        aria-label={t('common.export')}
        loading={isBusy}
        onClick={() => void save()}
      >
        <FileIcon size={16} />
      </ActionIcon>
    </>
  );
}
