import { usePages } from '../../api/queries.ts';
import type { OpenLink } from '../../api/wire.ts';
import { operatorRoleName, roleName } from '../../components/roles.ts';
import { type Translate, useText } from '../../text/text.tsx';
import { LinkTable } from './link-table.tsx';
import { PeopleFrame } from './people-frame.tsx';
import { resetChoices } from './reset-dialog.tsx';

const path = '/admin/v1/links';

/** All open invitation and reset links. */
export default function LinksPage() {
  const { t } = useText();
  const pages = usePages<OpenLink>(path);
  return (
    <PeopleFrame path="/app/operator/people/links" text="people.linksText">
      <LinkTable
        label={t('people.tabLinks')}
        pages={pages}
        columns={[
          { key: 'email', header: t('people.linkFor'), cell: ({ email }) => email },
          { key: 'kind', header: t('people.linkKind'), cell: (link) => purposeText(link, t) },
          { key: 'by', header: t('people.createdBy'), wideOnly: true, cell: (link) => link.created_by },
        ]}
        mayWithdraw
        path={path}
        emptyTitle={t('people.linksEmpty')}
        emptyText={t('people.linksEmptyText')}
        withdrawTitle={t('people.withdrawTitle')}
        withdrawText={(email) => t('people.withdrawText', { email })}
      />
    </PeopleFrame>
  );
}

function purposeText({ kind, role, resets, account, organisation }: OpenLink, t: Translate): string {
  if (kind === 'organisation')
    return t('people.linkAccount', { role: t(roleName(role ?? '')), account: organisation ?? '' });
  if (kind === 'account') return t('people.linkAccount', { role: t(roleName(role ?? '')), account: account ?? '' });
  if (kind === 'operator') return t('people.linkOperator', { role: t(operatorRoleName(role ?? '')) });
  const choice = resetChoices.find((each) => each.resets === resets) ?? resetChoices[0];
  return t('people.linkReset', { what: t(choice.name) });
}
