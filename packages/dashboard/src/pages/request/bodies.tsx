import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useAccountChoice } from '../../api/account.tsx';
import { useWrite } from '../../api/write.ts';
import { useSession } from '../../api/session.ts';
import type { DeletedBodies, RequestBodies } from '../../api/wire.ts';
import { sizeText } from '../../components/body-terms.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { requestPath, type Scope } from '../requests/scope.ts';
import type { Detail } from './detail.ts';
import classes from './request.module.css';

export interface BodiesProps {
  readonly detail: Detail;
  readonly bodies: NonNullable<Detail['bodies']>;
  readonly scope: Scope;
}

/** The stored bodies of a request. They are fetched on demand only, because the gateway logs each read. */
export function Bodies({ detail, bodies, scope }: BodiesProps) {
  const { t } = useText();
  const format = useFormat();
  const mayDelete = useMayDelete(scope) && (scope.isOperator || bodies.readable);
  const [isConfirming, setIsConfirming] = useState(false);
  const path = `${requestPath({ ...scope, app: scope.api }, detail.id)}/bodies`;
  const read = useWrite<RequestBodies>({ path: `${path}/read` });
  const remove = useWrite<DeletedBodies>({
    method: 'DELETE',
    path,
    changes: [scope.api],
    successMessage: () => t('bodies.deleted'),
  });
  if (bodies.state !== 'stored') return <SectionCard title={t('bodies.title')} text={t(`bodies.${bodies.state}`)} />;
  const [request, answer] = [bodies.request_bytes ?? 0, bodies.answer_bytes ?? 0].map(sizeText);
  const date = bodies.deleted_at === null ? '' : format.dateTime(bodies.deleted_at);
  return (
    <SectionCard
      title={t('bodies.title')}
      text={`${t('bodies.stored', { date, request: request ?? '', answer: answer ?? '' })} ${t(bodies.readable ? 'bodies.readHelp' : 'bodies.notReader')}`}
      action={
        <Group gap="xs">
          {bodies.readable && !read.data && (
            <Button variant="default" loading={read.isPending} onClick={() => read.mutate()}>
              {t('bodies.read')}
            </Button>
          )}
          {mayDelete && (
            <Button variant="default" onClick={() => setIsConfirming(true)}>
              {t('bodies.delete')}
            </Button>
          )}
        </Group>
      }
    >
      {(read.isPending || read.error || read.data) && (
        <Stack gap="md">
          {read.isPending && <Skeleton height={320} radius="md" />}
          <ErrorNotice error={read.error} />
          {read.data && <BodyText title={t('bodies.request')} body={read.data.request} />}
          {read.data && <BodyText title={t('bodies.response')} body={read.data.answer} />}
        </Stack>
      )}
      <ConfirmDialog
        isOpen={isConfirming}
        title={t('bodies.deleteTitle')}
        text={<Text>{t('bodies.deleteText')}</Text>}
        action={t('bodies.delete')}
        write={remove}
        onClose={() => setIsConfirming(false)}
      />
    </SectionCard>
  );
}

/** Deleting is a change, so it needs write access, in the account or as an operator. */
function useMayDelete({ isOperator }: Scope): boolean {
  const { operator } = useSession();
  const { account } = useAccountChoice();
  if (isOperator) return operator !== undefined && operator !== null && operator !== 'read-only';
  return account !== undefined && account.role !== 'viewer';
}

interface BodyTextProps {
  readonly title: string;
  readonly body: RequestBodies['request'];
}

/** One stored body: JSON indented, everything else unchanged. */
function BodyText({ title, body }: BodyTextProps) {
  const { t } = useText();
  const pretty = body?.text && indented(body.text);
  const raw = body?.text ?? undefined;
  const snippets = [
    ...(pretty ? [{ name: t('bodies.pretty'), code: pretty }] : []),
    ...(raw === undefined ? [] : [{ name: t('bodies.raw'), code: raw }]),
    ...(body?.base64 ? [{ name: t('bodies.bytes'), code: body.base64 }] : []),
  ];
  return (
    <div className={classes['body']}>
      <Text fw={560} mb={6}>
        {title}
      </Text>
      {body ? (
        <CodeBlock label={t('playground.view')} snippets={snippets} />
      ) : (
        <Text c="dimmed">{t('bodies.nothing')}</Text>
      )}
      {body?.truncated && (
        <Text fz="sm" c="dimmed" mt={6}>
          {t('bodies.cut', { size: sizeText(body.bytes) })}
        </Text>
      )}
    </div>
  );
}

/** Indented JSON. Undefined if the text is not valid JSON, or was truncated. */
function indented(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return undefined;
  }
}
