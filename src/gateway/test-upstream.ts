import { type ProbeReport, type ProbeOptions, probeUpstream } from '../upstreams/probe.ts';
import type { LiveConfiguration } from './live-configuration.ts';

/** Asks the provider behind an upstream, also one that is switched off, whether it works; nothing if there is none. */
export async function testUpstream(
  name: string,
  configuration: LiveConfiguration,
  options: Omit<ProbeOptions, 'model'>,
): Promise<ProbeReport | undefined> {
  const find = () => {
    const { upstreams, disabled } = configuration.live;
    return [...upstreams, ...disabled].find((each) => each.name === name);
  };
  // It may have been added a moment ago.
  if (!find()) await configuration.refresh();
  const spec = find();
  const routes = configuration.live.catalog.all().flatMap((model) => model.routes);
  const model = routes.find(({ upstream }) => upstream === name)?.model;
  return spec && probeUpstream(spec, { ...options, model });
}
