import { useMatches } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { PageEntry } from '../routes.tsx';
import { useSite } from '../api/session.ts';
import { useText } from '../text/text.tsx';

/** The entry of the shown page. Sets the window title to its name. */
export function useCurrentPage(): PageEntry | undefined {
  const { t } = useText();
  const { site } = useSite();
  const page = useMatches().at(-1)?.staticData.page;
  const title = page ? t(page.title) : undefined;
  useEffect(() => {
    document.title = title ? `${title} · ${site.title}` : site.title;
  }, [title, site.title]);
  return page;
}
