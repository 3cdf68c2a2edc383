import { Modal, type ModalProps } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useText } from '../text/text.tsx';
import classes from './dialog.module.css';
import { useFilters } from './filters.ts';

export interface DialogProps {
  readonly title: ReactNode;
  readonly isOpen?: boolean;
  /** Closing would lose something: a secret that is shown once, or the result of a running write. */
  readonly isLocked?: boolean;
  /** The URL contains the open state, so the back button goes to the previous URL. */
  readonly isInAddress?: boolean;
  /** Only its own buttons close it, not a click outside: the user may not have read it yet. */
  readonly isClosedByButtonOnly?: boolean;
  readonly size?: ModalProps['size'];
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A modal dialog. The back button closes it and stays on the page. While `isLocked`, the back button has no effect, and
 * leaving the page asks for confirmation.
 */
export function Dialog({
  isOpen = true,
  isLocked = false,
  isInAddress = false,
  isClosedByButtonOnly = false,
  ...props
}: DialogProps) {
  const { t } = useText();
  const { title, size = 'md', onClose, children } = props;
  const [openInAddress] = useFilters(['open']);
  useFocusReturn(isOpen);
  useBlocker({
    disabled: !isOpen,
    enableBeforeUnload: isLocked,
    shouldBlockFn: ({ action }) => {
      // Let a page navigate after its write; only the browser's own buttons would lose something.
      if (isLocked) return action === 'BACK' || action === 'FORWARD' || action === 'GO';
      if (action !== 'BACK' || isInAddress || openInAddress.open !== undefined) return false;
      onClose();
      return true;
    },
  });
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      size={size}
      returnFocus={false}
      closeOnClickOutside={!isLocked && !isClosedByButtonOnly}
      closeOnEscape={!isLocked && !isClosedByButtonOnly}
      withCloseButton={!isLocked}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      classNames={{ content: classes['content'] ?? '' }}
    >
      {children}
    </Modal>
  );
}

/** The buttons of a dialog, as the last part of its content. They stay visible while the content scrolls. */
export function DialogFooter({ children }: { readonly children: ReactNode }) {
  return <div className={classes['footer']}>{children}</div>;
}

/**
 * When a dialog closes, returns the focus to the element that had it before. The library's own mechanism fails for
 * components that mount only while open, and for menu items, which no longer exist by then.
 */
export function useFocusReturn(isOpen: boolean): void {
  const previous = useRef<HTMLElement>(undefined);
  const wasOpen = useRef(false);
  // Read during render: a dialog takes the focus as soon as it mounts.
  if (isOpen && !wasOpen.current) previous.current = focusedElement();
  wasOpen.current = isOpen;
  useEffect(() => {
    if (!isOpen) return undefined;
    return () => {
      const left = document.activeElement;
      // The closing dialog is still mounted for a moment. A dialog that opens instead takes the focus itself.
      setTimeout(() => {
        const now = document.activeElement;
        if (now === null || now === document.body || now === left) previous.current?.focus({ preventScroll: true });
      }, afterMs);
    };
  }, [isOpen]);
}

const afterMs = 10;

/** The focused element. For a menu item: the button that opened the menu. */
function focusedElement(): HTMLElement | undefined {
  const focused = document.activeElement;
  const button = focused?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  const element = button ? document.getElementById(button) : focused;
  return element instanceof HTMLElement ? element : undefined;
}
