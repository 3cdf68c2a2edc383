import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import type { Language } from '../text/language.ts';
import { useText } from '../text/text.tsx';
import { call } from './call.ts';
import { sessionQuery, useSession } from './session.ts';

/** Chooses what the dashboard speaks, and with it what letters to the user are written in. */
export function useLanguageChoice(): (language: Language) => void {
  const { setLanguage } = useText();
  const tell = useTellLanguage();
  return (language) => {
    setLanguage(language);
    tell(language);
  };
}

/** Whoever never chose is written in what they read. */
export function useLanguageToldOnce(): void {
  const { user } = useSession();
  const { language } = useText();
  const tell = useTellLanguage();
  const isUnknown = user.language === null;
  useEffect(() => {
    if (isUnknown) tell(language);
  }, [isUnknown, language, tell]);
}

/** It only decides how the next letter reads: where it fails, the next choice or visit tells it. */
function useTellLanguage(): (language: Language) => void {
  const client = useQueryClient();
  return useCallback(
    (language) => {
      // Nobody is here yet whose letters it could concern.
      if (!client.getQueryData(sessionQuery.queryKey)?.user) return;
      call('/auth/language', { method: 'POST', body: { language } }).then(
        () =>
          client.setQueryData(sessionQuery.queryKey, (known) =>
            known?.user ? { ...known, user: { ...known.user, language } } : known,
          ),
        () => undefined,
      );
    },
    [client],
  );
}
