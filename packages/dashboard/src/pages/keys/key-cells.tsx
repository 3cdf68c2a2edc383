import { Badge, Text, Tooltip } from '@mantine/core';
import type { Account, Key, StoredBodies } from '../../api/wire.ts';
import { keptFor } from '../../components/body-terms.ts';
import { Clip } from '../../components/clip.tsx';
import { useText } from '../../text/text.tsx';

/** Settings and limits that have no column. */
export function KeySettings({ apiKey, bodies }: { readonly apiKey: Key; readonly bodies: StoredBodies | undefined }) {
  const { t } = useText();
  return (
    <Clip>
      {apiKey.honour_stream_false && (
        <Tooltip label={t('keys.nonStreamingSwitch')}>
          <Badge size="sm" color="gray" tabIndex={0}>
            {t('keys.nonStreamingBadge')}
          </Badge>
        </Tooltip>
      )}{' '}
      <KeyLimitBadges apiKey={apiKey} /> {apiKey.store_bodies && <StoredBadge bodies={bodies} />}
    </Clip>
  );
}

/** Limits that have no column. */
function KeyLimitBadges({ apiKey: { max_concurrency: atOnce, addresses } }: { readonly apiKey: Key }) {
  const { t } = useText();
  return (
    <>
      {atOnce !== null && (
        <Tooltip label={t('keys.concurrencyHelp')}>
          <Badge size="sm" color="gray" tabIndex={0}>
            {t('keys.concurrencyBadge', { count: atOnce })}
          </Badge>
        </Tooltip>
      )}{' '}
      {addresses !== null && (
        <Tooltip label={addresses.join(', ')} maw={360} multiline>
          <Badge size="sm" color="gray" tabIndex={0}>
            {t('keys.addressesBadge', { count: addresses.length })}
          </Badge>
        </Tooltip>
      )}
    </>
  );
}

const stateColors = { active: 'accent', capped: 'yellow', suspended: 'red', expired: 'gray', revoked: 'red' } as const;

export function KeyState({ state }: { readonly state: EffectiveKeyState }) {
  const { t } = useText();
  const badge = <Badge color={stateColors[state]}>{t(`keys.${state}`)}</Badge>;
  if (state !== 'capped' && state !== 'suspended') return badge;
  return <Tooltip label={t(`keys.${state}Help`)}>{badge}</Tooltip>;
}

export function KeyModels({ models }: { readonly models: Key['models'] }) {
  const { t } = useText();
  if (!models) {
    return (
      <Text inherit c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {t('keys.allModels')}
      </Text>
    );
  }
  const [first = '', ...more] = models;
  if (more.length === 0) return <Clip>{first}</Clip>;
  return (
    <Clip>
      <Tooltip label={models.join(', ')} maw={360}>
        <Text span inherit tabIndex={0}>
          {t('keys.modelsAndMore', { first, count: more.length })}
        </Text>
      </Tooltip>
    </Clip>
  );
}

/**
 * How the gateway would treat a request with this key now: besides its own state, its cap or its account may reject it.
 */
type EffectiveKeyState = Key['state'] | 'capped' | 'suspended';

export function effectiveStateOf(key: Key, account: Account['status'] | undefined): EffectiveKeyState {
  if (key.state !== 'active') return key.state;
  if (account === 'suspended') return 'suspended';
  return key.spend_cap !== null && Number(key.cap_spent) >= Number(key.spend_cap) ? 'capped' : 'active';
}

/** Marks a key whose requests are stored. */
function StoredBadge({ bodies }: { readonly bodies: StoredBodies | undefined }) {
  const { t } = useText();
  if (!bodies?.allowed) return null;
  return (
    <Tooltip label={t('bodies.keyNotice', { time: keptFor(bodies, t) })} maw={360} multiline>
      <Badge size="sm" color="yellow" tabIndex={0}>
        {t('bodies.badge')}
      </Badge>
    </Tooltip>
  );
}
