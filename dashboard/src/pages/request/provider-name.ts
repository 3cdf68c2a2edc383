import { useText } from '../../text/text.tsx';

/** The name of a provider in the user's language. The gateway sends numbers for providers whose names it hides. */
export function useProviderName(): (provider: string) => string {
  const { t } = useText();
  return (provider) => {
    const number = /^provider (\d+)$/.exec(provider)?.[1];
    return number === undefined ? provider : t('request.providerNumber', { number });
  };
}
