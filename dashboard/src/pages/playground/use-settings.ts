import { useState } from 'react';
import { useFilters } from '../../components/filters.ts';
import { talking, useModels } from './models.ts';
import { firstSettings, type Settings } from './settings.ts';
import { surfaceNamed } from './surfaces.ts';

/** What is chosen. Models and surface stand in the address, so that other pages can link to a model here. */
export function useSettings() {
  const [linked, link] = useFilters(['model', 'surface', 'against']);
  const [rest, setRest] = useState(firstSettings);
  const { data: models } = useModels();
  const settings: Settings = {
    ...rest,
    surface: surfaceNamed(linked.surface),
    model: linked.model ?? talking(models)[0]?.id ?? '',
  };
  return {
    settings,
    /** The model that is asked the same beside it. */
    rival: linked.against,
    compareWith: (model: string | undefined) => link({ against: model }),
    change: (changed: Partial<Settings>) => {
      const { model, surface, ...others } = changed;
      if (Object.keys(others).length > 0) setRest((before) => ({ ...before, ...others }));
      if (model !== undefined || surface !== undefined) {
        link({ ...(model !== undefined && { model }), ...(surface !== undefined && { surface }) });
      }
    },
  };
}
