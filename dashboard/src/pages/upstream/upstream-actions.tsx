import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import type { Resource, UpstreamSpec } from '../../api/resource.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ChevronIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { RotateDialog } from './rotate-dialog.tsx';

export interface UpstreamActionsProps {
  readonly entry: Resource<UpstreamSpec>;
  readonly variable: string;
  readonly onEdit: () => void;
  /** Called after new credentials are in use. */
  readonly onRotated: () => void;
}

const changes = ['/admin/v1/upstreams', '/admin/v1/catalog', '/admin/v1/live'];

/** The actions of an upstream. */
export function UpstreamActions({ entry: { name, spec, secrets }, variable, onEdit, onRotated }: UpstreamActionsProps) {
  const { t } = useText();
  const navigate = useNavigate();
  const [isRotating, rotating] = useDisclosure(false);
  const [isRemoving, removing] = useDisclosure(false);
  const [isSwitching, switching] = useDisclosure(false);
  const path = `/admin/v1/upstreams/${encodeURIComponent(name)}`;
  const isOn = spec.enabled !== false;
  const toggle = useWrite({ path: `${path}/${isOn ? 'disable' : 'enable'}`, changes, isFailureNotified: !isOn });
  const remove = useWrite({ method: 'DELETE', path, changes, successMessage: () => t('upstreams.removed', { name }) });
  // A cloud credential has several parts, which only the form has fields for.
  const mayRotate = secrets.length === 0 || secrets.some((field) => field === 'api_key' || field === 'api_keys');
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
          {mayRotate && <Menu.Item onClick={rotating.open}>{t('upstreams.rotate')}</Menu.Item>}
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
        onClose={rotating.close}
        onRotated={onRotated}
      />
      <ConfirmDialog
        isOpen={isSwitching}
        title={t('upstreams.disableTitle', { name })}
        text={t('upstreams.disableText')}
        action={t('upstreams.disable')}
        isBusy={toggle.isPending}
        error={toggle.error}
        onClose={switching.close}
        onConfirm={() => toggle.mutate(undefined, { onSuccess: switching.close })}
      />
      <ConfirmDialog
        isOpen={isRemoving}
        title={t('upstreams.removeTitle', { name })}
        text={t('upstreams.removeText')}
        action={t('common.remove')}
        isBusy={remove.isPending}
        error={remove.error}
        onClose={removing.close}
        onConfirm={() =>
          remove.mutate(undefined, { onSuccess: () => void navigate({ to: '/app/operator/upstreams' }) })
        }
      />
    </>
  );
}
