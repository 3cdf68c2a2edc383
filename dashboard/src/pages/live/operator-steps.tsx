import { type Page, useAllRows, useRead } from '../../api/queries.ts';
import type { Resource, UpstreamSpec } from '../../api/resource.ts';
import { useSession } from '../../api/session.ts';
import type { Account } from '../../api/wire.ts';
import { FirstSteps } from '../../components/first-steps.tsx';
import { useText } from '../../text/text.tsx';

/** The first steps for the operator of a new gateway. */
export function OperatorSteps() {
  const { t } = useText();
  const { user } = useSession();
  const upstreams = useAllRows<Resource<UpstreamSpec>>('/admin/v1/upstreams').data;
  const accounts = useRead<Page<Account>>('/admin/v1/accounts', { limit: 2 }).data;
  const models = useAllRows<Resource>('/admin/v1/models').data;
  const realUpstreams = new Set(upstreams?.filter(({ spec }) => spec.kind !== 'simulated').map(({ name }) => name));
  const steps = upstreams &&
    accounts &&
    models && [
      {
        title: t('steps.upstream'),
        text: t('steps.upstreamText'),
        to: '/app/operator/upstreams',
        isDone: realUpstreams.size > 0,
      },
      {
        title: t('steps.model'),
        text: t('steps.modelText'),
        to: '/app/operator/models',
        isDone: models.some(({ spec }) => upstreamsOf(spec).some((name) => realUpstreams.has(name))),
      },
      {
        title: t('steps.account'),
        text: t('steps.accountText'),
        to: '/app/operator/accounts',
        isDone: accounts.data.length > 0,
      },
      {
        title: t('steps.twoFactor'),
        text: t('steps.twoFactorText'),
        to: '/app/settings/security',
        isDone: user.two_factor,
      },
    ];
  return <FirstSteps name="operator" steps={steps} />;
}

function upstreamsOf(spec: Resource['spec']): readonly string[] {
  const { routes = [] } = spec as { readonly routes?: readonly { readonly upstream?: string }[] };
  return routes.flatMap(({ upstream }) => upstream ?? []);
}
