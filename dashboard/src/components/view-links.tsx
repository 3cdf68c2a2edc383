import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface To {
  /** A view of the dashboard. */
  readonly to: string;
  /** What its query string says. */
  readonly search?: Readonly<Record<string, string | undefined>>;
  readonly children?: ReactNode;
}

/** A button that leads to another view. */
export function ViewButton({ to, search = {}, ...props }: To & ButtonProps) {
  return <Button {...props} renderRoot={(root) => <Link {...root} to={to} search={search} />} />;
}

/** Words that lead to another view. */
export function ViewAnchor({ to, search = {}, ...props }: To & AnchorProps) {
  return <Anchor {...props} renderRoot={(root) => <Link {...root} to={to} search={search} />} />;
}
