import type { NewSite } from '../../api/wire.ts';
import { NameList } from '../../components/model-patterns.tsx';
import { ResourcePage } from '../../components/resource-page.tsx';
import { SitesIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { SiteDialog } from './site-dialog.tsx';

export default function SitesPage() {
  const { t } = useText();
  return (
    <ResourcePage<NewSite>
      kind="site"
      icon={<SitesIcon />}
      subtitleOf={({ title }) => title}
      columns={() => [
        {
          key: 'domains',
          header: t('sites.domains'),
          cell: ({ spec }) => <NameList names={spec.domains} everything={t('sites.anyDomain')} />,
        },
        {
          key: 'models',
          header: t('sites.models'),
          cell: ({ spec }) => <NameList names={spec.models} everything={t('common.allModels')} />,
        },
        {
          key: 'signUp',
          header: t('sites.signUp'),
          cell: ({ spec }) => t(spec.sign_up ? 'sites.signUpOpen' : 'sites.signUpClosed'),
        },
        {
          key: 'streamFalse',
          header: t('sites.streamFalse'),
          cell: ({ spec }) => t(spec.honour_stream_false ? 'common.yes' : 'common.no'),
          wideOnly: true,
        },
      ]}
      dialog={({ entry, onClose }) => <SiteDialog key={entry?.name} site={entry} onClose={onClose} />}
    />
  );
}
