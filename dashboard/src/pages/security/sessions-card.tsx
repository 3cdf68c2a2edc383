import { Badge, Button, Skeleton } from '@mantine/core';
import { useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { deviceName } from '../../components/names.ts';
import { SectionCard } from '../../components/section-card.tsx';
import { When } from '../../components/when.tsx';
import { useText } from '../../text/text.tsx';
import { ItemList } from './item-list.tsx';

interface OpenSession {
  readonly id: string;
  readonly current: boolean;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly address: string | null;
  readonly user_agent: string | null;
}

export function SessionsCard() {
  const { t } = useText();
  const sessions = useRead<{ data: readonly OpenSession[] }>('/auth/sessions');
  const end = useWrite<unknown, string>({
    method: 'DELETE',
    path: (id) => `/auth/sessions/${encodeURIComponent(id)}`,
    send: () => undefined,
    changes: ['/auth/sessions'],
    successMessage: () => t('settings.ended'),
  });
  const endOthers = useWrite({
    path: '/auth/sessions/end-others',
    changes: ['/auth/sessions'],
    successMessage: () => t('settings.ended'),
  });
  const hasOthers = sessions.data?.data.some(({ current }) => !current) ?? false;
  return (
    <SectionCard
      title={t('settings.sessionsTitle')}
      text={t('settings.sessionsText')}
      action={
        hasOthers && (
          <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {t('settings.endOthers')}
          </Button>
        )
      }
    >
      <ErrorNotice error={sessions.error ?? end.error ?? endOthers.error} onRetry={() => void sessions.refetch()} />
      {sessions.isPending && <Skeleton height={48} />}
      <ItemList
        items={(sessions.data?.data ?? []).map((session) => ({
          id: session.id,
          name: (
            <>
              {deviceName(session.user_agent) ?? t('settings.unknownDevice')}
              {session.current && <Badge>{t('settings.thisSession')}</Badge>}
            </>
          ),
          note: (
            <>
              {session.address && `${session.address} · `}
              {t('settings.lastUsed')} <When at={session.last_used_at} />
            </>
          ),
          action: !session.current && (
            <Button variant="subtle" color="gray" size="compact-sm" onClick={() => end.mutate(session.id)}>
              {t('settings.end')}
            </Button>
          ),
        }))}
      />
    </SectionCard>
  );
}
