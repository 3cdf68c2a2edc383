import { useText } from '../../text/text.tsx';

/** How a provider is called in the viewer's language: the gateway numbers those whose names it keeps to itself. */
export function useProviderName(): (provider: string) => string {
  const { t } = useText();
  return (provider) => {
    const number = /^provider (\d+)$/.exec(provider)?.[1];
    return number === undefined ? provider : t('request.providerNumber', { number });
  };
}
