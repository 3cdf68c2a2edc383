import type { ReactNode } from 'react';
import { ViewAnchor } from './view-links.tsx';

/** Leads from one thing to the list of all of its kind; it stands there as well where the thing is gone. */
export function WayBack({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <ViewAnchor to={to} fz="sm" mb="xs" display="inline-block">
      ← {children}
    </ViewAnchor>
  );
}
