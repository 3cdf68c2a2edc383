import { useState } from 'react';
import { useReplacing } from '../../api/replacing.ts';
import type { Alerts, AlertsChange } from '../../api/wire.ts';
import { ConflictNotice } from '../../components/conflict-notice.tsx';
import { differences } from '../../components/difference.ts';
import { useAccount } from '../../api/account.tsx';

export const alertsPath = '/account/v1/alerts';

/**
 * A part of what the account is told of, in a form of its own. What somebody has begun to type stays, whatever is read
 * meanwhile; and who changes one part does not stand in the way of who changes another.
 */
export function useAlertsForm<Part extends AlertsChange>(alerts: Alerts, options: AlertsFormOptions<Part>) {
  const { partOf, labels } = options;
  const { id } = useAccount();
  const [typed, setTyped] = useState<Part>();
  const edit = useReplacing<Alerts, Part>(alerts, { method: 'PATCH', path: alertsPath, changes: [alertsPath] });
  const values = typed ?? partOf(alerts);
  const begin = () => setTyped(undefined);
  return {
    values,
    isBusy: edit.isPending,
    change: (change: Partial<Part>) => {
      if (typed === undefined) edit.adopt(alerts);
      setTyped({ ...values, ...change });
    },
    save: (part: Part) => {
      const isAsSeen = differences(partOf(edit.base), partOf(alerts)).length === 0;
      edit.save(part, begin, typed === undefined || isAsSeen ? alerts : edit.base);
    },
    notice: (
      <ConflictNotice<Alerts>
        error={edit.error}
        path={alertsPath}
        subject={{ kind: 'alerts', id }}
        mine={edit.mine}
        theirs={partOf}
        labels={labels}
        onKeepMine={(current) => edit.saveOver(current, begin)}
        onTakeTheirs={(current) => {
          edit.adopt(current);
          begin();
        }}
      />
    ),
  };
}

interface AlertsFormOptions<Part> {
  readonly partOf: (alerts: Alerts) => Part;
  /** What the form calls its fields. */
  readonly labels: Readonly<Record<string, string>>;
}
