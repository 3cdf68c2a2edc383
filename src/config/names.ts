import { z } from 'zod';
import { breaks } from './wording.ts';

/** A name the operator gives: safe in logs, addresses, command lines and comma-separated lists. */
export const name = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]*$/, {
    ...breaks('not_a_name'),
  })
  .meta({ title: 'a name' });

/** What clients write as `model`. Providers use slashes, colons and more in theirs, so only what breaks lists and patterns is kept out. */
export const modelName = z
  .string()
  .max(256)
  .regex(/^[^\s,*\p{C}]+$/u, breaks('not_a_model_id'))
  .meta({ title: 'a model name' });

/** Names models by id or alias; `*` stands for any run of characters. */
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
  .regex(/^(\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/, {
    ...breaks('not_a_host_name'),
  })
  .meta({ title: 'a domain', sample: 'api.example.com, "*.example.com", "*"' });
