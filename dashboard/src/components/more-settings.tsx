import { Anchor } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useEffect } from 'react';
import { useText } from '../text/text.tsx';

interface MoreSettingsProps {
  readonly isFirstOpen?: boolean;
  /** The text of the link. Default: "More settings". */
  readonly title?: string;
  /** A field inside has an error, so the fields are shown. */
  readonly hasError?: boolean;
  readonly children: ReactNode;
}

/** Rare fields of a form, behind a link that shows and hides them. */
export function MoreSettings({ isFirstOpen = false, title, hasError = false, children }: MoreSettingsProps) {
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
        {title ?? (isOpen ? t('upstreams.less') : t('upstreams.more'))}
      </Anchor>
      {isOpen && children}
    </>
  );
}
