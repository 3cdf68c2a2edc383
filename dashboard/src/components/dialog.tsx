import { Modal, type ModalProps } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../text/text.tsx';
import { useFocusReturn } from './focus-return.ts';

export interface DialogProps {
  readonly title: ReactNode;
  readonly isOpen?: boolean;
  /** Closing would lose something: a secret that is shown once, or the result of a running write. */
  readonly isHeld?: boolean;
  /** The URL contains the open state, so the back button goes to the previous URL. */
  readonly isInAddress?: boolean;
  /** Only its own buttons close it, not a click outside: the user may not have read it yet. */
  readonly isClosedByButtonOnly?: boolean;
  readonly size?: ModalProps['size'];
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A modal dialog. The back button closes it and stays on the page. While `isHeld`, the back button has no effect, and
 * leaving the page asks for confirmation.
 */
export function Dialog({
  isOpen = true,
  isHeld = false,
  isInAddress = false,
  isClosedByButtonOnly = false,
  ...props
}: DialogProps) {
  const { t } = useText();
  const { title, size = 'md', onClose, children } = props;
  useFocusReturn(isOpen);
  useBlocker({
    disabled: !isOpen,
    enableBeforeUnload: isHeld,
    shouldBlockFn: ({ action }) => {
      // Let a page navigate after its write; only the browser's own buttons would lose something.
      if (isHeld) return action === 'BACK' || action === 'FORWARD' || action === 'GO';
      if (action !== 'BACK' || isInAddress) return false;
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
      closeOnClickOutside={!isHeld && !isClosedByButtonOnly}
      closeOnEscape={!isHeld && !isClosedByButtonOnly}
      withCloseButton={!isHeld}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {children}
    </Modal>
  );
}
