import { auditActions } from '../../strings/audit-actions.ts';
import type { FixedTextKey, Translate } from '../../text/text.tsx';

type Action = keyof typeof auditActions;

export const actionNames = Object.keys(auditActions) as readonly Action[];

/** An action as a text. An unknown action is split into its words. */
export function actionWords(action: string, t: Translate): string {
  const known = actionNames.find((name) => name === action);
  return known ? t(`auditActions.${known}`) : action.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

const kinds: Readonly<Record<string, FixedTextKey>> = {
  account: 'audit.kindAccount',
  balance: 'audit.kindBalance',
  key: 'audit.kindKey',
  request: 'audit.kindRequest',
  upstream: 'audit.kindUpstream',
  model: 'audit.kindModel',
  package: 'audit.kindPackage',
  site: 'audit.kindSite',
  token: 'audit.kindToken',
  member: 'audit.kindMember',
  invitation: 'audit.kindInvitation',
  operator: 'audit.kindOperator',
  user: 'audit.kindUser',
  webhook: 'audit.kindWebhook',
  delivery: 'audit.kindDelivery',
  alerts: 'audit.kindAlerts',
  mail: 'audit.kindMail',
  payment: 'audit.kindPayment',
  card: 'audit.kindCard',
  'auto-top-up': 'audit.kindAutoTopUp',
  batch: 'audit.kindBatch',
  'code batch': 'audit.kindCodes',
  'sign-in': 'audit.kindSignIn',
};

export const kindNames: readonly string[] = Object.keys(kinds);

export function kindWords(kind: string, t: Translate): string {
  const key = kinds[kind];
  return key ? t(key) : kind;
}
