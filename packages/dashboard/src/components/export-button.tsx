import { ActionIcon, Button } from '@mantine/core';
import { useState } from 'react';
import { useAccountChoice, useOwnerOf } from '../api/account.tsx';
import type { ApiError } from '../api/api-error.ts';
import { ownerHeader, type Query } from '../api/call.ts';
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
  const { account } = useAccountChoice();
  const { isBusy, save } = useDownload(labels);
  const own = ownerHeader(path) === 'x-account' ? account : undefined;
  const fileName = `${own ? `${name}-${own.name}` : name}.csv`;
  const common = { variant: 'default', loading: isBusy, onClick: () => void save(path, query, fileName) } as const;
  return (
    <>
      <Button visibleFrom="sm" leftSection={<FileIcon size={16} />} {...common}>
        {t('common.export')}
      </Button>
      <ActionIcon hiddenFrom="sm" size={36} aria-label={t('common.export')} {...common}>
        <FileIcon size={16} />
      </ActionIcon>
    </>
  );
}

/** Saves a file of the API. Shows a failure as a notification. */
export function useDownload(labels?: FieldLabels) {
  const { t } = useText();
  const errorText = useErrorText(labels);
  const ownerOf = useOwnerOf();
  const [isBusy, setIsBusy] = useState(false);
  const save = async (path: string, query: Query, fileName: string, method?: 'GET' | 'POST') => {
    setIsBusy(true);
    try {
      await download(path, { query, owner: ownerOf(path), fileName, ...(method && { method }) });
    } catch (error) {
      notifyFailure(t('common.errorTitle'), errorText(error as ApiError));
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, save };
}
