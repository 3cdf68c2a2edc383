import { UnstyledButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useState } from 'react';
import { isReachable } from '../../api/call.ts';
import { SearchIcon } from '../../icons.tsx';
import { notifyFailure } from '../../text/notify.ts';
import { useText } from '../../text/text.tsx';
import classes from '../navigation.module.css';

export const loadPalette = () => import('./palette.tsx');

type Palette = Awaited<ReturnType<typeof loadPalette>>['default'];

/**
 * Opens the search palette over the current page, by hotkey or by the returned `open`. If its file cannot be loaded,
 * shows an error and leaves the page as it is.
 */
export function usePalette() {
  const { t } = useText();
  const [{ Palette }, setShown] = useState<{ readonly Palette?: Palette }>({});
  const open = async () => {
    try {
      const { default: loaded } = await loadPalette();
      setShown({ Palette: loaded });
    } catch {
      const text = (await isReachable()) ? 'common.crashText' : 'common.unreachable';
      notifyFailure(t('common.errorTitle'), t(text));
    }
  };
  useHotkeys([['mod+K', () => void open()]], []);
  return { open: () => void open(), palette: Palette && <Palette onClose={() => setShown({})} /> };
}

/** A button for users who do not know the hotkey. */
export function PaletteButton({ onOpen }: { readonly onOpen: () => void }) {
  const { t } = useText();
  const keys = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';
  return (
    <UnstyledButton className={classes['search']} onClick={onOpen}>
      <SearchIcon size={16} />
      {t('frame.search')}
      <kbd className={classes['keys']}>{keys}</kbd>
    </UnstyledButton>
  );
}
