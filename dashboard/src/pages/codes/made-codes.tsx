import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { CreatedCodeBatch } from '../../api/wire.ts';
import { CopyButton } from '../../components/copy-field.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { saveFile } from '../../api/download.ts';
import { FileIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import classes from './codes.module.css';

/** Shows the codes, once. Until the operator has saved or copied them, only the button closes the dialog. */
export function MadeCodes({ made, onClose }: { readonly made: CreatedCodeBatch; readonly onClose: () => void }) {
  const { t } = useText();
  const [isSaved, setSaved] = useState(false);
  const text = made.codes.join('\n');
  const save = (kind: 'txt' | 'csv') => {
    saveFile(`${made.note}.${kind}`, kind === 'txt' ? new Blob([`${text}\n`], { type: 'text/plain' }) : tableOf(made));
    setSaved(true);
  };
  return (
    <Dialog onClose={onClose} size="lg" title={t('codes.createdTitle', { count: made.codes.length })} isHeld={!isSaved}>
      <Stack gap="md">
        <Text fz="sm">{t('codes.createdText')}</Text>
        <Textarea
          readOnly
          aria-label={t('nav.codes')}
          value={text}
          rows={Math.min(10, made.codes.length)}
          classNames={{ input: classes['codes'] ?? '' }}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <Group gap="xs">
          <Button variant="default" leftSection={<FileIcon size={16} />} onClick={() => save('txt')}>
            {t('codes.saveText')}
          </Button>
          <Button variant="default" leftSection={<FileIcon size={16} />} onClick={() => save('csv')}>
            {t('codes.saveTable')}
          </Button>
          <CopyButton text={text} />
          <Button ml="auto" onClick={onClose}>
            {t('common.done')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** One row per code, with its value. Codes and amounts contain nothing that needs quoting. */
function tableOf({ codes, amount, expires_at: end }: CreatedCodeBatch): Blob {
  const rows = codes.map((code) => `${code},${amount},${end ?? ''}`);
  return new Blob([['code,amount,expires_at', ...rows, ''].join('\r\n')], { type: 'text/csv' });
}
