import { useForm } from '@mantine/form';
import type { Resource } from '../../api/resource.ts';
import type { NewSite } from '../../api/wire.ts';
import { nameProblem } from '../../components/input-problems.ts';
import { ResourceDialog } from '../../components/resource-dialog.tsx';
import { useText } from '../../text/text.tsx';
import { SiteFields } from './site-fields.tsx';
import { formOf, type SiteForm, specOf } from './site-form.ts';

/** Adds a site, or shows and changes one. */
export function SiteDialog({ site, onClose }: { readonly site: Resource<NewSite> | undefined; onClose: () => void }) {
  const { t } = useText();
  const form = useForm<SiteForm>({
    initialValues: formOf(site?.spec),
    validate: {
      name: (name) => nameProblem(name, t),
      domains: (domains) => (domains.length === 0 ? t('sites.domainsMissing') : null),
      models: (models) => (models.length === 0 ? t('sites.modelsMissing') : null),
    },
  });
  return (
    <ResourceDialog<NewSite>
      kind="site"
      entry={site}
      onSubmit={(send) => form.onSubmit((values) => send((spec) => specOf(values, spec)))()}
      onTakeTheirs={(current) => form.setValues(formOf(current.spec))}
      labels={{
        name: t('sites.name'),
        title: t('sites.title'),
        domains: t('sites.domains'),
        models: t('sites.models'),
        sign_up: t('sites.signUpSwitch'),
        sign_up_package: t('sites.signUpPackage'),
        honour_stream_false: t('sites.streamFalseSwitch'),
        messages_bearer: t('sites.bearerSwitch'),
      }}
      onClose={onClose}
    >
      {(isReadOnly) => <SiteFields form={form} isNew={!site} isReadOnly={isReadOnly} />}
    </ResourceDialog>
  );
}
