import { SegmentedControl, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { useSession } from '../../api/session.ts';
import { FactList } from '../../components/fact-list.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { useText } from '../../text/text.tsx';
import { roleKeys } from '../invite/role-keys.ts';

export default function ProfilePage() {
  const { t } = useText();
  const { user, operator, accounts } = useSession();
  return (
    <>
      <PageHeader title={t('nav.profile')} description={t('settings.profileText')} />
      <Stack gap="lg" maw={760}>
        <SectionCard title={t('settings.you')}>
          <FactList
            facts={[
              { label: t('settings.name'), value: user.name },
              { label: t('settings.email'), value: user.email },
              {
                label: t('settings.operatorRole'),
                value: operator ? t(roleKeys[operator]) : t('settings.noOperator'),
              },
            ]}
          />
        </SectionCard>
        {accounts.length > 0 && (
          <SectionCard title={t('settings.yourAccounts')}>
            <FactList facts={accounts.map(({ name, role }) => ({ label: name, value: t(roleKeys[role]) }))} />
          </SectionCard>
        )}
        <Looks />
      </Stack>
    </>
  );
}

function Looks() {
  const { t, language, setLanguage } = useText();
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <SectionCard title={t('settings.looks')} text={t('settings.zone', { zone })}>
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
        ]}
      />
    </SectionCard>
  );
}
