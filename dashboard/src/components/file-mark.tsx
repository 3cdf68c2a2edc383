import { Tooltip } from '@mantine/core';
import type { Source } from '../api/resource.ts';
import { FileIcon } from '../icons.tsx';
import { useText } from '../text/text.tsx';
import classes from './file-mark.module.css';

/** A small icon after the name of an entry that the configuration file owns. Renders nothing for other entries. */
export function FileMark({ source }: { readonly source: Source }) {
  const { t } = useText();
  if (source !== 'file') return null;
  return (
    <Tooltip label={`${t('common.ownedByFile')}. ${t('common.ownedByFileHelp')}`} maw={260}>
      <span className={classes['mark']} role="img" aria-label={t('common.ownedByFile')}>
        <FileIcon size={14} />
      </span>
    </Tooltip>
  );
}
