import type { ReactNode } from 'react';
import { ViewAnchor } from './view-links.tsx';

/** Links from a detail page to its list, also if the entry no longer exists. */
export function BackLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <ViewAnchor to={to} fz="sm" mb="xs" display="inline-block">
      ← {children}
    </ViewAnchor>
  );
}
