import { useForm } from '@mantine/form';
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Resource } from '../../api/resource.ts';
import type { NewSite } from '../../api/wire.ts';
import { useMayOperate } from '../../api/operator.ts';
import { useWrite } from '../../api/write.ts';
import { useReplacing } from '../../api/replacing.ts';
import { ConflictNotice } from '../../components/conflict-notice.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { nameProblem } from '../../components/name-problem.ts';
import { useText } from '../../text/text.tsx';
import { SiteFields } from './site-fields.tsx';
import { formOf, type SiteForm, specOf } from './site-form.ts';

const changes = ['/admin/v1/sites'];

/** Adds a site, or shows and changes one; the configuration file's are only shown. */
export function SiteDialog({ site, onClose }: { readonly site: Resource<NewSite> | undefined; onClose: () => void }) {
  const { t } = useText();
  const mayOperate = useMayOperate();
  const [isRemoving, removing] = useDisclosure(false);
  const isFileOwned = site?.source === 'file';
  const isReadOnly = isFileOwned || !mayOperate;
  const form = useForm<SiteForm>({
    initialValues: formOf(site?.spec),
    validate: {
      name: (name) => nameProblem(name, t),
      domains: (domains) => (domains.length === 0 ? t('sites.domainsMissing') : null),
      models: (models) => (models.length === 0 ? t('sites.modelsMissing') : null),
    },
  });
  const path = site ? `/admin/v1/sites/${encodeURIComponent(site.name)}` : '/admin/v1/sites';
  const edit = useReplacing<Resource<NewSite> | undefined, NewSite>(site, {
    method: site ? 'PUT' : 'POST',
    path,
    changes,
    told: ({ name }) => (site ? t('common.saved') : t('sites.added', { name })),
  });
  const remove = useWrite({
    method: 'DELETE',
    path,
    ifMatch: () => site?.version,
    changes,
    told: () => t('sites.removed', { name: site?.name ?? '' }),
  });
  const submit = form.onSubmit((values) => edit.save(specOf(values, edit.base?.spec), onClose));
  return (
    <>
      <EntryDialog
        isOpen={!isRemoving}
        isInAddress
        title={site ? t('sites.editTitle', { name: site.name }) : t('sites.addTitle')}
        isFileOwned={isFileOwned}
        isReadOnly={isReadOnly}
        action={site ? undefined : t('sites.addAction')}
        isBusy={edit.isPending}
        notice={
          <ConflictNotice<Resource<NewSite>>
            error={edit.error}
            path={path}
            subject={{ kind: 'site', id: site?.name ?? '' }}
            mine={edit.mine}
            theirs={(current) => current.spec}
            onKeepMine={(current) => edit.saveOver(current, onClose)}
            onTakeTheirs={(current) => {
              edit.adopt(current);
              form.setValues(formOf(current.spec));
            }}
          />
        }
        onSubmit={submit}
        onClose={onClose}
        aside={
          site &&
          !isReadOnly && (
            <Button variant="subtle" color="red" c="var(--chart-bad)" onClick={removing.open}>
              {t('common.remove')}
            </Button>
          )
        }
      >
        <SiteFields form={form} isNew={!site} isReadOnly={isReadOnly} />
      </EntryDialog>
      {site && (
        <ConfirmDialog
          isOpen={isRemoving}
          title={t('sites.removeTitle', { name: site.name })}
          text={t('sites.removeText')}
          action={t('common.remove')}
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
          onClose={removing.close}
        />
      )}
    </>
  );
}
