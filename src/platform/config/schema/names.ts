import { z } from 'zod';
import { breaks } from '../file/wording.ts';

/** A name that the operator chooses: safe in logs, addresses, command lines and comma-separated lists. */
export const name = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]*$/, breaks('not_a_name'))
  .meta({ title: 'a name' });

/** The `model` of requests. It refuses only characters that break lists and patterns: providers use all others. */
export const modelName = z
  .string()
  .max(256)
  .regex(/^[^\s,*\p{C}]+$/u, breaks('not_a_model_id'))
  .meta({ title: 'a model name' });

/** Matches models by id or alias; `*` matches any number of characters. */
export const modelPattern = z
  .string()
  .max(256)
  .regex(/^[^\s,\p{C}]+$/u, breaks('not_a_model_pattern'))
  .meta({ title: 'a model pattern', sample: '"*", acme-*, acme-large' });

/** A host name without port, `*.suffix` for everything below a domain, or `*` for any. */
export const domain = z
  .string()
  .max(253)
  .toLowerCase()
  .regex(/^(\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/, breaks('not_a_host_name'))
  .meta({ title: 'a domain', sample: 'api.example.com, "*.example.com", "*"' });
