import { Button, FileButton, Text } from '@mantine/core';
import { useState } from 'react';
import { FileIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import classes from './reconciliation.module.css';
import { texts } from './texts.ts';

interface FileDropProps {
  /** The chosen file. */
  readonly name: string | undefined;
  readonly rows: number | undefined;
  readonly onFile: (file: File) => void;
}

/** A place to drop a file on, with a button for those who cannot. */
export function FileDrop({ name, rows, onFile }: FileDropProps) {
  const t = usePageText(texts);
  const [isOver, setIsOver] = useState(false);
  const choose = (file: File | null | undefined) => file && onFile(file);
  return (
    <div
      className={classes['drop']}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        choose(event.dataTransfer.files[0]);
      }}
    >
      <FileIcon size={24} />
      <div className={classes['dropText']}>
        <Text fw={560}>{name ?? t('drop')}</Text>
        <Text fz="sm" c="dimmed">
          {rows === undefined ? t('dropHelp') : t('fileRows', { count: rows })}
        </Text>
      </div>
      <FileButton accept=".csv,.tsv,.txt,.json,text/csv,application/json" onChange={choose} key={name}>
        {(props) => (
          <Button variant="default" {...props}>
            {t(name === undefined ? 'choose' : 'chooseOther')}
          </Button>
        )}
      </FileButton>
    </div>
  );
}
