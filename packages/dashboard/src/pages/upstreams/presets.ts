import type { UpstreamSpec } from '../../api/resource.ts';
import type { Preset } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';
import type { Translate } from '../../text/text.tsx';
import { useText } from '../../text/text.tsx';

/** A preset in the list. Some kinds appear a second time, for providers without a preset. */
export interface Offer extends Preset {
  /** The value in the URL. */
  readonly key: string;
  readonly isGeneral: boolean;
}

/** Every provider that can be added. Undefined while loading. */
export function useOffers() {
  const { t } = useText();
  const { data, error, refetch } = useRead<{ readonly data: readonly Preset[] }>(
    '/admin/v1/presets',
    {},
    { staleTime: 600_000 },
  );
  const offers = data && [
    ...generalOffers(t),
    ...data.data.map((preset): Offer => ({ ...preset, key: preset.name, isGeneral: false })),
  ];
  return { offers, error, retry: () => void refetch() };
}

/** The preset of an upstream. With a custom base URL, its kind stands for any provider of that format. */
export function offerOf(offers: readonly Offer[] | undefined, { kind, base_url }: UpstreamSpec): Offer | undefined {
  const ofKind = offers?.filter(({ name }) => name === kind) ?? [];
  return ofKind.find(({ isGeneral }) => isGeneral === (base_url !== undefined)) ?? ofKind[0];
}

function generalOffers(t: Translate): readonly Offer[] {
  const general = { base_url: '', fields: [], needs: [], isGeneral: true };
  const keyed = { ...general, environment: ['PROVIDER_API_KEY'] };
  return [
    {
      ...keyed,
      key: 'other-chat',
      name: 'openai',
      title: t('upstreams.otherChat'),
      note: t('upstreams.otherChatNote'),
    },
    {
      ...keyed,
      key: 'other-messages',
      name: 'anthropic',
      title: t('upstreams.otherMessages'),
      note: t('upstreams.otherMessagesNote'),
    },
    {
      ...general,
      environment: [],
      key: 'simulated',
      name: 'simulated',
      title: t('upstreams.simulated'),
      note: t('upstreams.simulatedNote'),
    },
  ];
}
