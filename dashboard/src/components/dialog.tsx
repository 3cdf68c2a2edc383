import { Modal, type ModalProps } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../text/text.tsx';
import { useFocusReturn } from './focus-return.ts';

export interface DialogProps {
  readonly title: ReactNode;
  readonly isOpen?: boolean;
  /** Something would be lost: a secret that is shown once, or how a write under way ends, of which nobody would be told. */
  readonly isHeld?: boolean;
  /** The address says that it is open: the way back leads to the address before. */
  readonly isInAddress?: boolean;
  /** Only its own buttons close it: who clicks beside it has not read it yet. */
  readonly isStubborn?: boolean;
  readonly size?: ModalProps['size'];
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A window over the page. The way back closes it and leaves the page where it is. While it is held the way back stays
 * closed, and leaving the page asks first.
 */
export function Dialog({
  isOpen = true,
  isHeld = false,
  isInAddress = false,
  isStubborn = false,
  ...props
}: DialogProps) {
  const { t } = useText();
  const { title, size = 'md', onClose, children } = props;
  useFocusReturn(isOpen);
  useBlocker({
    disabled: !isOpen,
    enableBeforeUnload: isHeld,
    shouldBlockFn: ({ action }) => {
      // Pages that lead on once the write is done are let through: only the browser's own buttons lose something.
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
      closeOnClickOutside={!isHeld && !isStubborn}
      closeOnEscape={!isHeld && !isStubborn}
      withCloseButton={!isHeld}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {children}
    </Modal>
  );
}
