import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../../api/session.ts';
import { useWrite } from '../../api/write.ts';
import type { IssuedItem, RemovedMember } from '../../api/wire.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Dialog, DialogFooter } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { usePageText } from '../../text/page-text.ts';
import type { Strings } from '../../text/strings.ts';
import { useText } from '../../text/text.tsx';

const texts = {
  title: ['What {name} still knows', '{name} 仍掌握的内容'],
  text: [
    '{name} is removed. These keys and webhook endpoints still work, and {name} knows their secrets or created them. End those that {name} should no longer use.',
    '{name} 已被移除。以下密钥和 Webhook 端点仍然有效，{name} 知道其密钥内容或创建了它们。请停用不应再由 {name} 使用的项目。',
  ],
  key: ['API key', 'API 密钥'],
  webhook: ['Webhook endpoint', 'Webhook 端点'],
  revoke: ['Revoke {name}', '吊销 {name}'],
  remove: ['Remove {name}', '移除 {name}'],
  revokeShort: ['Revoke', '吊销'],
  removeShort: ['Remove', '移除'],
  ended: ['Ended', '已停用'],
  inAccounts: ['To end them, open their accounts.', '如需停用，请打开相应的账户。'],
} as const satisfies Strings;

type Issued = Pick<RemovedMember, 'known_keys' | 'known_webhooks'>;
/** The API below which the listed things are ended. Undefined: they belong to several accounts. */
type Api = '/account/v1' | '/admin/v1' | undefined;

interface RemovalProps {
  readonly person: { readonly id: string; readonly name: string };
  /** The API path of the list of people. */
  readonly path: string;
  readonly text: string;
  readonly api: Api;
  readonly onClose: () => void;
}

/** Removes a person after a confirmation, and then shows what the person issued and still works. */
export function Removal({ person, path, text, api, onClose }: RemovalProps) {
  const { t } = useText();
  const remove = useWrite<Issued>({
    method: 'DELETE',
    path: `${path}/${encodeURIComponent(person.id)}`,
    changes: [path],
  });
  const { data } = remove;
  const known = data ? [...data.known_keys, ...data.known_webhooks] : [];
  if (data && known.length > 0) return <IssuedDialog name={person.name} issued={data} api={api} onClose={onClose} />;
  return (
    <ConfirmDialog
      isOpen={!data}
      title={t('settings.removeTitle', { name: person.name })}
      text={text}
      action={t('common.remove')}
      write={{
        ...remove,
        mutate: (_body, { onSuccess }) =>
          remove.mutate(undefined, {
            onSuccess: (reply) => {
              if (reply.known_keys.length + reply.known_webhooks.length === 0) onSuccess();
            },
          }),
      }}
      onClose={onClose}
    />
  );
}

interface IssuedDialogProps extends Pick<RemovalProps, 'api' | 'onClose'> {
  readonly name: string;
  readonly issued: Issued;
}

function IssuedDialog({ name, issued, api, onClose }: IssuedDialogProps) {
  const { t } = useText();
  const p = usePageText(texts);
  return (
    <Dialog isClosedByButtonOnly title={p('title', { name })} onClose={onClose}>
      <Stack gap="md">
        <Text>{p('text', { name })}</Text>
        {issued.known_keys.map((item) => (
          <IssuedRow key={item.id} item={item} kind="key" api={api} />
        ))}
        {issued.known_webhooks.map((item) => (
          <IssuedRow key={item.id} item={item} kind="webhook" api={api} />
        ))}
        {api === undefined && <Text>{p('inAccounts')}</Text>}
        <DialogFooter>
          <Button variant="default" onClick={onClose}>
            {t('common.close')}
          </Button>
        </DialogFooter>
      </Stack>
    </Dialog>
  );
}

interface IssuedRowProps {
  readonly item: IssuedItem;
  readonly kind: 'key' | 'webhook';
  readonly api: Api;
}

function IssuedRow({ item: { id, name, account_id: accountId }, kind, api }: IssuedRowProps) {
  const p = usePageText(texts);
  const { accounts } = useSession();
  const [isEnded, setIsEnded] = useState(false);
  const list = kind === 'key' ? `${api}/keys` : `${api}/webhooks`;
  const path = `${list}/${encodeURIComponent(id)}`;
  const end = useWrite(
    kind === 'key' ? { path: `${path}/revoke`, changes: [list] } : { method: 'DELETE', path, changes: [list] },
  );
  const account = api === undefined ? accounts.find((each) => each.id === accountId)?.name : undefined;
  return (
    <Stack gap={4}>
      <Group justify="space-between" wrap="nowrap">
        <div>
          <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Text fz="sm" c="dimmed">
            {account === undefined ? p(kind) : `${p(kind)} · ${account}`}
          </Text>
        </div>
        {api !== undefined &&
          (isEnded ? (
            <Text c="dimmed">{p('ended')}</Text>
          ) : (
            <Button
              color="red.8"
              variant="default"
              style={{ flexShrink: 0 }}
              aria-label={p(kind === 'key' ? 'revoke' : 'remove', { name })}
              loading={end.isPending}
              onClick={() => end.mutate(undefined, { onSuccess: () => setIsEnded(true) })}
            >
              {p(kind === 'key' ? 'revokeShort' : 'removeShort')}
            </Button>
          ))}
      </Group>
      <ErrorNotice error={end.error} />
    </Stack>
  );
}
