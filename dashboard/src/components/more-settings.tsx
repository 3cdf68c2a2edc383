import { Anchor } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useText } from '../text/text.tsx';

interface MoreSettingsProps {
  readonly isFirstOpen?: boolean;
  readonly children: ReactNode;
}

/** Rare fields of a form, behind a link that shows and hides them. */
export function MoreSettings({ isFirstOpen = false, children }: MoreSettingsProps) {
  const { t } = useText();
  const [isOpen, { toggle }] = useDisclosure(isFirstOpen);
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
        {isOpen ? t('upstreams.less') : t('upstreams.more')}
      </Anchor>
      {isOpen && children}
    </>
  );
}
