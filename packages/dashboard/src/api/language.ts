import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import type { Language } from '../text/language.ts';
import { useText } from '../text/text.tsx';
import { call } from './call.ts';
import { sessionQuery, useSession } from './session.ts';

/** Sets the language of the dashboard and of the e-mails to the user. */
export function useLanguageChoice(): (language: Language) => void {
  const { setLanguage } = useText();
  const storeLanguage = useStoreLanguage();
  return (language) => {
    setLanguage(language);
    storeLanguage(language);
  };
}

/** Stores the browser's language for a user who never chose one. */
export function useLanguageStoredOnce(): void {
  const { user } = useSession();
  const { language } = useText();
  const storeLanguage = useStoreLanguage();
  const isUnknown = user.language === null;
  useEffect(() => {
    if (isUnknown) storeLanguage(language);
  }, [isUnknown, language, storeLanguage]);
}

/** Stores the language of e-mails. Failures are ignored: the next choice or visit stores it again. */
function useStoreLanguage(): (language: Language) => void {
  const client = useQueryClient();
  return useCallback(
    (language) => {
      // A visitor who is not signed in gets no e-mails.
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
