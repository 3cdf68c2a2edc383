import { Anchor, type AnchorProps, Button, type ButtonProps, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PlusIcon } from '../icons.tsx';

interface To {
  /** The path of a dashboard page. */
  readonly to: string;
  /** Its query parameters. */
  readonly search?: Readonly<Record<string, string | undefined>>;
  readonly children?: ReactNode;
}

/** A button that links to another page. */
export function ViewButton({ to, search = {}, ...props }: To & ButtonProps) {
  return <Button {...props} renderRoot={(root) => <Link {...root} to={to} search={search} />} />;
}

/** A text link to another page. */
export function ViewAnchor({ to, search = {}, ...props }: To & AnchorProps) {
  return <Anchor {...props} renderRoot={(root) => <Link {...root} to={to} search={search} />} />;
}

/** Links from a detail page to its list, also if the entry no longer exists. */
export function BackLink({ children, ...props }: To & AnchorProps) {
  return (
    <ViewAnchor {...props} fz="sm" mb="xs" display="inline-block">
      ← {children}
    </ViewAnchor>
  );
}

interface AddButtonProps extends ButtonProps {
  readonly onClick: () => void;
  /** Why nothing can be created now. The button is then disabled, but can be focused to read the reason. */
  readonly obstacle?: string | undefined;
  readonly children: ReactNode;
}

/** The button that creates an entry of the page. */
export function AddButton({ obstacle, onClick, ...props }: AddButtonProps) {
  const icon = <PlusIcon size={16} />;
  if (obstacle === undefined) return <Button leftSection={icon} {...props} onClick={onClick} />;
  return (
    <Tooltip label={obstacle} maw={280} events={{ hover: true, focus: true, touch: true }}>
      <Button leftSection={icon} {...props} data-disabled aria-disabled aria-description={obstacle} />
    </Tooltip>
  );
}
