import { ActionIcon, Alert, Button, Menu, Select, Tooltip } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccountChoice } from '../../api/account.tsx';
import { useEntryNames } from '../../api/queries.ts';
import { useReplacing } from '../../api/replacing.ts';
import { useMayOperate } from '../../api/session.ts';
import type { Account } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { useOpenDialog } from '../../components/filters.ts';
import { accountName } from '../../components/names.ts';
import { TerminateDialog } from '../../components/terminate-dialog.tsx';
import { useText } from '../../text/text.tsx';
import { AccountRename } from '../members/account-rename.tsx';
import { usePageText } from '../../text/page-text.ts';
import { AccountTermsDialog, termTexts } from './terms-dialog.tsx';
import { CreditDialog } from './credit-dialog.tsx';
import { EyeIcon, MoreIcon } from '../../icons.tsx';

const dialogs = ['credit', 'package', 'limits', 'suspend', 'resume', 'rename'] as const;

/** The actions of an operator on an account. */
export function AccountActions({ account }: { readonly account: Account }) {
  const { t } = useText();
  const l = usePageText(termTexts);
  const mayOperate = useMayOperate();
  const navigate = useNavigate();
  const { viewAs } = useAccountChoice();
  const [open, setOpen] = useOpenDialog(mayOperate ? dialogs : []);
  const close = () => setOpen(undefined);
  const path = `/admin/v1/accounts/${encodeURIComponent(account.id)}`;
  const name = accountName(account);
  const resume = useWrite({
    path: `${path}/resume`,
    changes: ['/admin/v1/accounts'],
    successMessage: () => t('accounts.resumedNow', { name }),
  });
  const view = () => {
    viewAs({ id: account.id, name });
    void navigate({ to: '/app/overview' });
  };
  return (
    <>
      <Tooltip label={t('accounts.viewAsHelp')}>
        <Button variant="default" leftSection={<EyeIcon size={16} />} onClick={view}>
          {t('accounts.viewAs')}
        </Button>
      </Tooltip>
      {mayOperate && <Button onClick={() => setOpen('credit')}>{t('accounts.credit')}</Button>}
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t('accounts.more')}>
            <MoreIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayOperate && (
            <>
              <Menu.Item onClick={() => setOpen('rename')}>{t('common.rename')}</Menu.Item>
              <Menu.Item onClick={() => setOpen('package')}>{t('accounts.changePackage')}</Menu.Item>
              <Menu.Item onClick={() => setOpen('limits')}>{l('change')}</Menu.Item>
              {account.status === 'active' ? (
                <Menu.Item color="red" onClick={() => setOpen('suspend')}>
                  {t('accounts.suspend')}
                </Menu.Item>
              ) : (
                <Menu.Item onClick={() => setOpen('resume')}>{t('accounts.resume')}</Menu.Item>
              )}
              <Menu.Divider />
            </>
          )}
          <Menu.Item onClick={() => void navigate({ to: '/app/operator/audit', search: { account: account.id } })}>
            {t('accounts.openAudit')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {open === 'credit' && <CreditDialog account={account} onClose={close} />}
      {open === 'rename' && <AccountRename account={account} path={path} onClose={close} />}
      {open === 'limits' && <AccountTermsDialog account={account} onClose={close} />}
      {open === 'package' && <PackageChoice account={account} onClose={close} />}
      <ConfirmDialog
        isOpen={open === 'resume' && account.status === 'suspended'}
        isDangerous={false}
        title={t('accounts.resumeTitle', { name })}
        text={t('accounts.resumeText')}
        action={t('accounts.resume')}
        write={resume}
        onClose={close}
      />
      {open === 'suspend' && account.status === 'active' && (
        <TerminateDialog
          title={t('accounts.suspendTitle', { name })}
          text={t('accounts.suspendText')}
          help={t('accounts.terminateHelp')}
          action={t('accounts.suspend')}
          path={path}
          verb="suspend"
          changes={['/admin/v1/accounts']}
          successMessage={t('accounts.suspendedNow', { name })}
          onClose={close}
        />
      )}
    </>
  );
}

interface PackageChoiceProps {
  readonly account: Account;
  readonly onClose: () => void;
}

/** Gives an account another package, unless the configuration file sets it. */
function PackageChoice({ account, onClose }: PackageChoiceProps) {
  const { t } = useText();
  const [chosen, setChosen] = useState(account.package);
  const names = useEntryNames('packages') ?? [account.package];
  const isFileOwned = account.source === 'file';
  const path = `/admin/v1/accounts/${encodeURIComponent(account.id)}`;
  const edit = useReplacing<Account, { readonly package: string }>(account, {
    method: 'PATCH',
    path,
    changes: ['/admin/v1/accounts'],
    onSaved: onClose,
    fieldsOf: ({ package: name, status }) => ({ package: name, status }),
    labels: { package: t('accounts.package'), status: t('accounts.status') },
    valueText: (path, value) =>
      path === 'status' ? t(value === 'active' ? 'accounts.active' : 'accounts.suspended') : undefined,
  });
  return (
    <EntryDialog
      isOpen
      title={t('accounts.changePackageTitle', { name: accountName(account) })}
      isReadOnly={isFileOwned}
      edit={edit}
      onSubmit={() => edit.save({ package: chosen })}
      onClose={onClose}
    >
      {isFileOwned && <Alert color="gray">{t('accounts.packageOwned')}</Alert>}
      <Select
        label={t('accounts.package')}
        description={t('accounts.changePackageHelp')}
        data={names}
        value={chosen}
        onChange={(value) => value !== null && setChosen(value)}
        allowDeselect={false}
        readOnly={isFileOwned}
        data-autofocus
      />
    </EntryDialog>
  );
}
