import { Badge, Text, Tooltip } from '@mantine/core';
import type { Source } from '../api/resource.ts';
import type { Account } from '../api/wire.ts';
import { FileIcon } from '../icons.tsx';
import { useText } from '../text/text.tsx';
import classes from './cells.module.css';

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

/** Whether the keys of an account are accepted. */
export function AccountState({ status }: Pick<Account, 'status'>) {
  const { t } = useText();
  return status === 'active' ? (
    <Badge color="accent">{t('accounts.active')}</Badge>
  ) : (
    <Badge color="red">{t('accounts.suspended')}</Badge>
  );
}

/** A person in a table: the name, and the e-mail address below. */
export function PersonCell({ name, email }: { readonly name: string; readonly email: string }) {
  return (
    <div>
      <Text fw={520}>{name}</Text>
      <Text fz="sm" c="dimmed">
        {email}
      </Text>
    </div>
  );
}

/** A dot that pulses while the page polls. */
export function Beat({ isStill }: { readonly isStill: boolean }) {
  return <span className={classes['beat']} data-still={isStill || undefined} aria-hidden="true" />;
}
