import { useEffect, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { chatModels, useModels } from '../../api/own-account.ts';
import { useRead } from '../../api/queries.ts';
import type { Balance } from '../../api/wire.ts';
import { useFilters } from '../../components/filters.ts';
import { exampleOf } from '../../components/model-snippets.ts';
import { readFromTab, storeInTab } from '../../remembered.ts';
import { firstSettings, type Settings } from './settings.ts';
import { surfaceNamed } from './surfaces.ts';

/**
 * The settings and the unsent message. Models and surface are in the URL, so that other pages can link to a model here.
 * The rest is stored in the tab.
 */
export function useSettings() {
  const [linked, link] = useFilters(['model', 'surface', 'against']);
  const { id } = useAccount();
  const storageName = `playground.${id}.form`;
  const [{ text, ...rest }, setForm] = useState(() => ({
    ...firstForm,
    ...(readFromTab(storageName) as Partial<typeof firstForm>),
  }));
  const { data: models } = useModels();
  const balance = useRead<Balance>('/account/v1/balance');
  // Without credit, only a free model answers.
  const callable = balance.isPending ? [] : chatModels(models);
  const example = balance.data ? exampleOf(callable, balance.data) : callable[0];
  const settings: Settings = {
    ...rest,
    surface: surfaceNamed(linked.surface),
    model: linked.model ?? example?.id ?? '',
  };
  useEffect(() => storeInTab(storageName, { ...rest, text }));
  return {
    settings,
    /** The unsent message. */
    text,
    write: (written: string) => setForm((before) => ({ ...before, text: written })),
    /** The second model of a side-by-side comparison. */
    secondModel: linked.against,
    compareWith: (model: string | undefined) => link({ against: model }),
    change: (changed: Partial<Settings>) => {
      const { model, surface, ...others } = changed;
      if (Object.keys(others).length > 0) setForm((before) => ({ ...before, ...others }));
      if (model !== undefined || surface !== undefined) {
        link({ ...(model !== undefined && { model }), ...(surface !== undefined && { surface }) });
      }
    },
  };
}

const firstForm = { ...firstSettings, text: '' };
