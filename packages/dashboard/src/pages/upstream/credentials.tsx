import { Text } from '@mantine/core';
import type { CredentialHealth } from '../../api/wire.ts';
import { asPages } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { HealthState } from '../../components/status.tsx';
import { When } from '../../components/when.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import classes from './upstream.module.css';

/** The credentials by index, with their circuit breaker: whether each gets requests, and if not, until when. */
export function Credentials({ credentials }: { readonly credentials: readonly CredentialHealth[] | undefined }) {
  const { t } = useText();
  const format = useFormat();
  const columns: readonly Column<CredentialHealth>[] = [
    { key: 'index', header: t('upstreams.credentialNumber'), cell: ({ index }) => `#${index + 1}` },
    {
      key: 'circuit',
      header: t('upstreams.circuit'),
      cell: (credential) => (
        <div>
          <HealthState state={credential.state} />
          <BlockedUntil credential={credential} />
        </div>
      ),
    },
    { key: 'running', header: t('live.running'), align: 'right', cell: ({ running }) => format.number(running) },
    {
      key: 'latency',
      header: t('upstreams.latency'),
      align: 'right',
      cell: ({ latency_ms }) => (latency_ms === null ? '–' : format.duration(latency_ms)),
    },
    {
      key: 'failures',
      header: t('upstreams.failures'),
      align: 'right',
      cell: ({ consecutive_failures }) => format.number(consecutive_failures),
    },
    {
      key: 'error',
      header: t('upstreams.lastError'),
      cell: ({ last_error, last_error_at }) =>
        last_error === null ? (
          <Text fz="sm" c="dimmed">
            {t('upstreams.noError')}
          </Text>
        ) : (
          <div className={classes['error']}>
            <When at={last_error_at} /> · {last_error}
          </div>
        ),
    },
  ];
  return (
    <DataTable
      label={t('upstreams.credentials')}
      columns={columns}
      pages={asPages({ data: credentials })}
      rowKey={({ index }) => String(index)}
      empty={
        <Text c="dimmed" p="md">
          {t('upstreams.noHealth')}
        </Text>
      }
    />
  );
}

function BlockedUntil({ credential: { ejected_until, cooldown_until } }: { readonly credential: CredentialHealth }) {
  const { t } = useText();
  const format = useFormat();
  if (ejected_until === null && cooldown_until === null) return null;
  return (
    <Text fz="xs" c="dimmed">
      {ejected_until !== null && t('upstreams.until', { time: format.dateTime(ejected_until) })}
      {ejected_until === null &&
        cooldown_until !== null &&
        t('upstreams.cooldownUntil', { time: format.dateTime(cooldown_until) })}
    </Text>
  );
}
