import { useState } from 'react';
import { useReplacing } from '../../api/replacing.ts';
import type { Alerts, AlertsChange } from '../../api/wire.ts';
import { ConflictNotice } from '../../components/conflict-notice.tsx';
import { differences } from '../../components/difference.ts';
import { useAccount } from '../../api/account.tsx';

export const alertsPath = '/account/v1/alerts';

/**
 * A form for one part of the alert settings. Typed input survives a refetch. Each part is saved on its own, so that
 * changes to different parts do not conflict.
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
  /** The labels of the form fields. */
  readonly labels: Readonly<Record<string, string>>;
}
