import { useDisclosure } from '@mantine/hooks';
import { useRead } from '../../api/queries.ts';
import type { OperatorList } from '../../api/wire.ts';
import { EmptyState } from '../../components/empty-state.tsx';
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
  const [isInviting, invitation] = useDisclosure(false);
  return (
    <PeopleFrame
      path="/app/operator/people/operators"
      text="people.operatorsText"
      actions={<AddButton onClick={invitation.open}>{t('people.inviteOperator')}</AddButton>}
    >
      <RoleTable
        label={t('people.tabOperators')}
        header={t('people.user')}
        roles={operatorRoles}
        read={operators}
        path={path}
        resetPath={(id) => `/admin/v1/people/${encodeURIComponent(id)}/reset`}
        removeText={t('people.removeOperatorText')}
        mayManage
        empty={
          <EmptyState
            icon={<MembersIcon size={24} />}
            title={t('people.operatorsEmpty')}
            text={t('people.operatorsText')}
          />
        }
      />
      {isInviting && (
        <InviteDialog
          title="people.inviteOperator"
          onClose={invitation.close}
          path={`${path}/invitations`}
          roles={operatorRoles}
          firstRole="operator"
        />
      )}
    </PeopleFrame>
  );
}
