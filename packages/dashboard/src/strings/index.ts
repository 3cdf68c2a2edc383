import { reasonTexts, wordTexts } from 'chat-formats/reasons/texts.ts';
import { rules } from 'chat-formats/reasons/rules.ts';
import { accounts } from './accounts.ts';
import { alerts } from './alerts.ts';
import { audit } from './audit.ts';
import { auditActions } from './audit-actions.ts';
import { billing } from './billing.ts';
import { bodies } from './bodies.ts';
import { cases } from './cases.ts';
import { codes } from './codes.ts';
import { common } from './common.ts';
import { frame } from './frame.ts';
import { keys } from './keys.ts';
import { live } from './live.ts';
import { models } from './models.ts';
import { nav } from './nav.ts';
import { overview } from './overview.ts';
import { packages } from './packages.ts';
import { people } from './people.ts';
import { performance } from './performance.ts';
import { playground } from './playground.ts';
import { request } from './request.ts';
import { requests } from './requests.ts';
import { routes } from './routes.ts';
import { settings } from './settings.ts';
import { signIn } from './sign-in.ts';
import { sites } from './sites.ts';
import { steps } from './steps.ts';
import { system } from './system.ts';
import { upstreams } from './upstreams.ts';
import { usage } from './usage.ts';

/** All texts, by section. */
export const sections = {
  words: wordTexts,
  reasons: reasonTexts,
  rules,
  accounts,
  alerts,
  audit,
  auditActions,
  billing,
  bodies,
  cases,
  codes,
  common,
  frame,
  keys,
  live,
  models,
  nav,
  overview,
  packages,
  people,
  performance,
  playground,
  request,
  requests,
  routes,
  settings,
  signIn,
  sites,
  steps,
  system,
  upstreams,
  usage,
} as const;
