import { ActionIcon, Group } from '@mantine/core';
import { MenuIcon } from '../icons.tsx';
import { useText } from '../text/text.tsx';
import { Brand } from './brand.tsx';
import classes from './frame.module.css';

/** The bar that replaces the side navigation on narrow screens. */
export function PhoneBar({ onOpen }: { readonly onOpen: () => void }) {
  const { t } = useText();
  return (
    <header className={classes['phoneBar']}>
      <ActionIcon variant="subtle" color="gray" size={44} aria-label={t('frame.openMenu')} onClick={onOpen}>
        <MenuIcon size={22} />
      </ActionIcon>
      <Group gap="xs" wrap="nowrap" miw={0}>
        <Brand />
      </Group>
    </header>
  );
}
