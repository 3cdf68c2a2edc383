import { UnstyledButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import { SearchIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import classes from '../navigation.module.css';

export const loadPalette = () => import('./palette.tsx');
const Palette = lazy(loadPalette);

/** Opens the search over whatever page is shown: by its keys, wherever they are pressed, or by what `open` is given to. */
export function usePalette() {
  const [isOpen, setOpen] = useState(false);
  const open = () => setOpen(true);
  useHotkeys([['mod+K', open]], []);
  return {
    open,
    palette: isOpen && (
      <Suspense>
        <Palette onClose={() => setOpen(false)} />
      </Suspense>
    ),
  };
}

/** The way into the search for whoever does not know its keys. */
export function PaletteDoor({ onOpen }: { readonly onOpen: () => void }) {
  const { t } = useText();
  const keys = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';
  return (
    <UnstyledButton className={classes['search']} onClick={onOpen}>
      <SearchIcon size={16} />
      {t('palette.open')}
      <kbd className={classes['keys']}>{keys}</kbd>
    </UnstyledButton>
  );
}
