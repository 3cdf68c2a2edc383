import { type ProbeOptions, type ProbeReport, probeUpstream } from '../upstreams/providers/probe.ts';
import type { LiveConfiguration } from './live-configuration.ts';

/** Tests the provider of an upstream, even a disabled one. Returns undefined if there is no such upstream. */
export async function testUpstream(
  name: string,
  configuration: LiveConfiguration,
  options: Omit<ProbeOptions, 'model'>,
): Promise<ProbeReport | undefined> {
  const find = () => {
    const { upstreams, disabled } = configuration.live;
    return [...upstreams, ...disabled].find((each) => each.name === name);
  };
  // The upstream may have been added a moment ago.
  if (!find()) await configuration.refresh();
  const spec = find();
  const routes = configuration.live.catalog.all().flatMap((model) => model.routes);
  const model = routes.find(({ upstream }) => upstream === name)?.model;
  return spec && probeUpstream(spec, { ...options, model });
}
