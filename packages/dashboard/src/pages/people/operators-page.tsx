import { useRead } from '../../api/queries.ts';
import type { OperatorList } from '../../api/wire.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { useOpenDialog } from '../../components/filters.ts';
import { operatorRoles } from '../../components/roles.ts';
import { AddButton } from '../../components/view-links.tsx';
import { MembersIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { InviteDialog } from '../members/invite-dialog.tsx';
import { PeopleFrame } from './people-frame.tsx';
import { RoleTable } from './role-table.tsx';

const path = '/admin/v1/operators';

/** The operators of the gateway. Its owners manage them. */
export default function OperatorsPage() {
  const { t } = useText();
  const operators = useRead<OperatorList>(path);
  const [open, setOpen] = useOpenDialog(['invite']);
  const invite = <AddButton onClick={() => setOpen('invite')}>{t('people.inviteOperator')}</AddButton>;
  return (
    <PeopleFrame
      path="/app/operator/people/operators"
      text="people.operatorsText"
      actions={operators.data?.data.length !== 0 && invite}
    >
      <RoleTable
        label={t('people.tabOperators')}
        header={t('people.user')}
        roles={operatorRoles}
        read={operators}
        path={path}
        resetPath={(id) => `/admin/v1/people/${encodeURIComponent(id)}/reset`}
        removeText={t('people.removeOperatorText')}
        issuedApi="/admin/v1"
        mayManage
        empty={
          <EmptyState
            icon={<MembersIcon size={24} />}
            title={t('people.operatorsEmpty')}
            text={t('people.operatorsText')}
            action={invite}
          />
        }
      />
      {open === 'invite' && (
        <InviteDialog
          title="people.inviteOperator"
          onClose={() => setOpen(undefined)}
          path={`${path}/invitations`}
          roles={operatorRoles}
          firstRole="operator"
        />
      )}
    </PeopleFrame>
  );
}
