import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
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

/** The button that creates an entry of the page. */
export function AddButton(props: ButtonProps & { readonly onClick: () => void; readonly children: ReactNode }) {
  return <Button leftSection={<PlusIcon size={16} />} {...props} />;
}
