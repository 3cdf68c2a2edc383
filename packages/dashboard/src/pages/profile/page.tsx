import { Button, SegmentedControl, Select, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useSearch } from '@tanstack/react-router';
import { useSession } from '../../api/session.ts';
import { useWrite } from '../../api/write.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FactList } from '../../components/fact-list.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { RenameDialog } from '../../components/rename-dialog.tsx';
import { operatorRoleName, roleName } from '../../components/roles.ts';
import { SectionCard } from '../../components/section-card.tsx';
import { useLanguageChoice } from '../../api/language.ts';
import { useText } from '../../text/text.tsx';
import { deviceTimeZone, timeZones } from '../../text/time-zone.ts';

export default function ProfilePage() {
  const { t } = useText();
  const { user, operator, accounts } = useSession();
  const [isRenaming, renaming] = useDisclosure(false);
  return (
    <>
      <PageHeader title={t('nav.profile')} description={t('settings.profileText')} />
      <Stack gap="lg" maw={760}>
        <SectionCard
          title={t('settings.you')}
          action={
            <Button variant="default" onClick={renaming.open}>
              {t('common.rename')}
            </Button>
          }
        >
          <FactList
            facts={[
              { label: t('settings.name'), value: user.name },
              { label: t('settings.email'), value: <Address /> },
              {
                label: t('settings.operatorRole'),
                value: operator ? t(operatorRoleName(operator)) : t('settings.noOperator'),
              },
            ]}
          />
        </SectionCard>
        {accounts.length > 0 && (
          <SectionCard title={t('settings.yourAccounts')}>
            <FactList facts={accounts.map(({ name, role }) => ({ label: name, value: t(roleName(role)) }))} />
          </SectionCard>
        )}
        <Appearance />
      </Stack>
      {isRenaming && (
        <RenameDialog
          title={t('settings.renameYou')}
          help={t('settings.renameYouHelp')}
          name={user.name}
          method="POST"
          path="/auth/name"
          send={(name) => ({ name })}
          changes={['session']}
          onClose={renaming.close}
        />
      )}
    </>
  );
}

function Appearance() {
  const { t, language } = useText();
  const setLanguage = useLanguageChoice();
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <SectionCard title={t('settings.display')}>
      <FactList
        facts={[
          {
            label: t('frame.scheme'),
            value: (
              <SegmentedControl
                aria-label={t('frame.scheme')}
                value={colorScheme}
                onChange={setColorScheme}
                data={[
                  { value: 'light', label: t('frame.schemeLight') },
                  { value: 'dark', label: t('frame.schemeDark') },
                  { value: 'auto', label: t('frame.schemeAuto') },
                ]}
              />
            ),
          },
          {
            label: t('frame.language'),
            value: (
              <SegmentedControl
                aria-label={t('frame.language')}
                value={language}
                onChange={setLanguage}
                data={[
                  {
                    value: 'en',
                    label: (
                      <Text span lang="en">
                        English
                      </Text>
                    ),
                  },
                  {
                    value: 'zh',
                    label: (
                      <Text span lang="zh">
                        中文
                      </Text>
                    ),
                  },
                ]}
              />
            ),
          },
          { label: t('settings.timeZone'), value: <TimeZone /> },
        ]}
      />
    </SectionCard>
  );
}

function TimeZone() {
  const { t, timeZone, setTimeZone } = useText();
  const device = deviceTimeZone();
  const choices = timeZones().map((zone) => ({
    value: zone,
    label: zone === device ? t('settings.timeZoneDevice', { zone }) : zone,
  }));
  return (
    <Select
      aria-label={t('settings.timeZone')}
      description={t('settings.timeZoneHelp')}
      inputWrapperOrder={['input', 'description']}
      data={choices}
      value={timeZone}
      onChange={(zone) => zone !== null && setTimeZone(zone)}
      nothingFoundMessage={t('common.noMatches')}
      maw={320}
      searchable
      allowDeselect={false}
    />
  );
}

/** The e-mail address, and a way to verify it for users who signed up before e-mail was configured. */
function Address() {
  const { t } = useText();
  const { user, is_mail_on: isMailOn } = useSession();
  const { confirm: token }: { readonly confirm?: string } = useSearch({ strict: false });
  const send = useWrite({ path: '/auth/address/email' });
  const confirm = useWrite<unknown, { token: string }>({ path: '/auth/address/confirm', changes: ['session'] });
  if (user.is_verified || !isMailOn) return user.email;
  const isHere = token !== undefined && !confirm.error;
  return (
    <Stack gap="xs" align="flex-start">
      {user.email}
      <Text size="sm" c="dimmed">
        {t(isHere ? 'settings.addressHere' : 'settings.addressUnconfirmed')}
      </Text>
      <ErrorNotice error={confirm.error ?? send.error} />
      {isHere ? (
        <Button
          loading={confirm.isPending}
          onClick={() =>
            confirm.mutate(
              { token },
              { onSuccess: () => notifications.show({ message: t('settings.addressConfirmed') }) },
            )
          }
        >
          {t('settings.addressConfirm')}
        </Button>
      ) : (
        <Button variant="default" loading={send.isPending} disabled={send.isSuccess} onClick={() => send.mutate()}>
          {t('settings.addressSend')}
        </Button>
      )}
      {send.isSuccess && (
        <Text size="sm" role="status">
          {t('settings.addressSent', { email: user.email })}
        </Text>
      )}
    </Stack>
  );
}
