import { Button, Menu, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Resource, UpstreamSpec } from '../../api/resource.ts';
import type { UpstreamKeys } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Dialog, DialogFooter } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Form } from '../../components/form.tsx';
import { ChevronIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { KeysField } from '../upstreams/keys-field.tsx';
import { upstreamLabels } from '../upstreams/upstream-labels.ts';
import { linesOf } from '../upstreams/upstream-values.ts';

export interface UpstreamActionsProps {
  readonly entry: Resource<UpstreamSpec>;
  readonly variable: string;
  readonly onEdit: () => void;
  /** Called after new credentials are in use. */
  readonly onRotated: () => void;
  /** Whether the dialog for new credentials is open. */
  readonly isRotating: boolean;
  readonly setRotating: (isRotating: boolean) => void;
}

const changes = ['/admin/v1/upstreams', '/admin/v1/catalog', '/admin/v1/live'];

/** The actions of an upstream. */
export function UpstreamActions({ entry, variable, onEdit, onRotated, isRotating, setRotating }: UpstreamActionsProps) {
  const { t } = useText();
  const navigate = useNavigate();
  const { name, spec } = entry;
  const [isRemoving, removing] = useDisclosure(false);
  const [isSwitching, switching] = useDisclosure(false);
  const path = `/admin/v1/upstreams/${encodeURIComponent(name)}`;
  const isOn = spec.enabled !== false;
  const toggle = useWrite({ path: `${path}/${isOn ? 'disable' : 'enable'}`, changes, isFailureNotified: !isOn });
  const remove = useWrite({ method: 'DELETE', path, changes, successMessage: () => t('upstreams.removed', { name }) });
  return (
    <>
      <Button variant="default" onClick={onEdit}>
        {t('common.edit')}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronIcon size={14} />} loading={toggle.isPending}>
            {t('routes.moreActions')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {mayRotate(entry) && <Menu.Item onClick={() => setRotating(true)}>{t('upstreams.rotate')}</Menu.Item>}
          <Menu.Item onClick={() => (isOn ? switching.open() : toggle.mutate())}>
            {isOn ? t('upstreams.disable') : t('upstreams.enable')}
          </Menu.Item>
          <Menu.Item color="red" onClick={removing.open}>
            {t('common.remove')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <RotateDialog
        name={name}
        variable={variable}
        isOpen={isRotating}
        onClose={() => setRotating(false)}
        onRotated={onRotated}
      />
      <ConfirmDialog
        isOpen={isSwitching}
        title={t('upstreams.disableTitle', { name })}
        text={t('upstreams.disableText')}
        action={t('upstreams.disable')}
        write={toggle}
        onClose={switching.close}
      />
      <ConfirmDialog
        isOpen={isRemoving}
        title={t('upstreams.removeTitle', { name })}
        text={t('upstreams.removeText')}
        action={t('common.remove')}
        write={remove}
        onClose={removing.close}
        onDone={() => void navigate({ to: '/app/operator/upstreams' })}
      />
    </>
  );
}

/** A cloud credential has several parts, which only the form has fields for. */
export function mayRotate({ secrets, source }: Resource<UpstreamSpec>): boolean {
  const hasKeys = secrets.length === 0 || secrets.some((field) => field === 'api_key' || field === 'api_keys');
  return source === 'store' && hasKeys;
}

interface RotateDialogProps {
  readonly name: string;
  readonly variable: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onRotated: () => void;
}

/** Replaces the credentials of an upstream. */
function RotateDialog({ name, variable, isOpen, onClose, onRotated }: RotateDialogProps) {
  const { t } = useText();
  const [keys, setKeys] = useState('');
  const rotate = useWrite<unknown, UpstreamKeys>({
    path: `/admin/v1/upstreams/${encodeURIComponent(name)}/keys`,
    changes: ['/admin/v1/upstreams'],
    successMessage: () => t('upstreams.rotated'),
  });
  const close = () => {
    setKeys('');
    rotate.reset();
    onClose();
  };
  return (
    <Dialog isOpen={isOpen} isLocked={rotate.isPending} onClose={close} title={t('upstreams.rotateTitle', { name })}>
      <Form
        onSubmit={() =>
          rotate.mutate(
            { api_keys: linesOf(keys) },
            {
              onSuccess: () => {
                close();
                onRotated();
              },
            },
          )
        }
      >
        <Stack gap="md">
          <Text fz="sm">{t('upstreams.rotateText')}</Text>
          <KeysField variable={variable} value={keys} onChange={setKeys} isRequired />
          <ErrorNotice error={rotate.error} labels={upstreamLabels(t)} />
          <DialogFooter>
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={rotate.isPending} disabled={linesOf(keys).length === 0}>
              {t('upstreams.rotate')}
            </Button>
          </DialogFooter>
        </Stack>
      </Form>
    </Dialog>
  );
}
