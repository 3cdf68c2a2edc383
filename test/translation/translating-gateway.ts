import { model, startTestGateway, type TestGateway } from '../gateways/gateway.ts';

/** A gateway with one upstream per format, all of them at the same fake provider. */
export function startTranslatingGateway(more: Record<string, unknown> = {}): Promise<TestGateway> {
  return startTestGateway((base, provider) => {
    const [upstream] = base['upstreams'] as [object];
    return {
      ...base,
      upstreams: [
        { ...upstream, name: 'chat', quirks: { thinking_style: 'both' } },
        { ...upstream, name: 'messages', kind: 'anthropic', base_url: provider.url },
        { ...upstream, name: 'responses', quirks: { responses: 'only', effort_high: 'high' } },
      ],
      models: ['chat', 'messages', 'responses'].map((upstream) =>
        model(`${upstream}-upstream`, { routes: [{ upstream }] }),
      ),
      sites: [{ name: 'main', domains: ['*'], models: ['*'], honour_stream_false: true }],
      ...more,
    };
  });
}
