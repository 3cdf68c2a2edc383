import { Badge, Tooltip } from '@mantine/core';
import type { Source } from '../api/resource.ts';
import { FileIcon } from '../icons.tsx';
import { useText } from '../text/text.tsx';

/** Marks an entry that the configuration file owns, which is read-only here. Renders nothing for other entries. */
export function OwnedByFile({ source }: { readonly source: Source }) {
  const { t } = useText();
  if (source !== 'file') return null;
  return (
    <Tooltip label={t('common.ownedByFileHelp')} maw={260}>
      <Badge color="gray" leftSection={<FileIcon size={12} />} tabIndex={0}>
        {t('common.ownedByFile')}
      </Badge>
    </Tooltip>
  );
}
