import { ActionIcon, Menu } from '@mantine/core';
import type { ReactNode } from 'react';

export interface RowMenuProps {
  /** The label of the button for screen readers: the actions, and the row. */
  readonly label: string;
  /** Its `Menu.Item`s. */
  readonly children: ReactNode;
}

/** The actions of a row, behind a three-dot button at its end. */
export function RowMenu({ label, children }: RowMenuProps) {
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={28} ml="auto" aria-label={label}>
          <svg width={18} height={18} viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
            <circle cx="5" cy="12" r="1.7" />
            <circle cx="12" cy="12" r="1.7" />
            <circle cx="19" cy="12" r="1.7" />
          </svg>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
