import { Anchor, Badge } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useEffect } from 'react';
import { ChevronIcon } from '../icons.tsx';
import { useText } from '../text/text.tsx';
import classes from './more-settings.module.css';

interface MoreSettingsProps {
  readonly isFirstOpen?: boolean;
  /** The text of the link. Default: "More settings". */
  readonly title?: string;
  /** The number of settings inside that differ from their defaults. */
  readonly count?: number;
  /** A field inside has an error, so the fields are shown. */
  readonly hasError?: boolean;
  readonly children: ReactNode;
}

/** Rare fields of a form, behind a link that shows and hides them. */
export function MoreSettings({ isFirstOpen = false, title, count = 0, hasError = false, children }: MoreSettingsProps) {
  const { t } = useText();
  const [isOpen, { toggle, open }] = useDisclosure(isFirstOpen);
  useEffect(() => {
    if (hasError) open();
  }, [hasError, open]);
  return (
    <>
      <Anchor
        component="button"
        type="button"
        fz="sm"
        onClick={toggle}
        aria-expanded={isOpen}
        style={{ alignSelf: 'flex-start' }}
      >
        <span className={classes['title']}>
          <span className={classes['chevron']} data-open={isOpen || undefined}>
            <ChevronIcon size={14} />
          </span>
          {title ?? (isOpen ? t('upstreams.less') : t('upstreams.more'))}
          {count > 0 && (
            <Badge color="gray" size="sm">
              {t('routes.advancedSet', { count })}
            </Badge>
          )}
        </span>
      </Anchor>
      {isOpen && children}
    </>
  );
}
