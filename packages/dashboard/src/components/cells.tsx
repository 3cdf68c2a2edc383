import { Badge, Text, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Source } from '../api/resource.ts';
import type { Account } from '../api/wire.ts';
import { FileIcon } from '../icons.tsx';
import { useText } from '../text/text.tsx';
import classes from './cells.module.css';
import { Clip } from './clip.tsx';

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

/** A person in a table: the name, then the e-mail address. */
export function PersonCell({ name, email }: { readonly name: string; readonly email: string }) {
  return <NamedCell name={name} more={email} />;
}

interface NamedCellProps {
  readonly name: string;
  /** Another name or the address, in grey. */
  readonly more?: string | undefined;
  /** A mark after the names. */
  readonly children?: ReactNode;
}

/** A name in one line of a table. */
export function NamedCell({ name, more, children }: NamedCellProps) {
  return (
    <Clip>
      <Text span inherit fw={520}>
        {name}
      </Text>
      {children}
      {more && (
        <Text span fz="sm" c="dimmed" ml={8}>
          {more}
        </Text>
      )}
    </Clip>
  );
}

/** A dot that pulses while the page polls. */
export function Beat({ isStill }: { readonly isStill: boolean }) {
  return <span className={classes['beat']} data-still={isStill || undefined} aria-hidden="true" />;
}
