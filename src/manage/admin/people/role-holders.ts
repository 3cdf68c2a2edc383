import { z } from 'zod';
import type { RoleHolder } from '../../../money/accounts/last-owner.ts';
import { contentVersion } from '../../../core/content-version.ts';
import { missing } from '../api/sent-values.ts';
import { isoTime, timeSchema, versionSchema } from '../api/wire.ts';

/** Schemas, documents and outcomes of members of an organisation or of operators. */
export function roleHolders<Role extends z.ZodType<string, string>>(role: Role, kind: 'member' | 'operator') {
  type Holder = RoleHolder<z.output<Role>>;
  const base = { id: z.string(), email: z.string(), name: z.string() };
  const schema = z.strictObject({ ...base, role, since: timeSchema, version: versionSchema });
  const shown = ({ userId: id, email, name, role: has, createdAt }: Holder) => {
    // Only the role can be changed here.
    const version = contentVersion({ id, role: has });
    return { id, email, name, role: has, since: isoTime(createdAt), version };
  };
  return {
    schema,
    listSchema: z.strictObject({ data: z.array(schema) }),
    list: async (all: Promise<readonly Holder[]>) => ({ data: (await all).map(shown) }),
    at: async (all: Promise<readonly Holder[]>, id: string) => {
      const holder = (await all).find(({ userId }) => userId === id);
      if (!holder) throw missing(kind);
      return shown(holder);
    },
    changed: (holder: { readonly before: Holder; readonly after: Holder } | undefined) => {
      if (!holder) throw missing(kind);
      const [before, after] = [shown(holder.before), shown(holder.after)];
      const change = before.role === after.role ? undefined : { kind, id: after.id, before, after };
      return { reply: after, change };
    },
    removed: (holder: Holder | undefined) => {
      if (!holder) throw missing(kind);
      const before = shown(holder);
      return { reply: before, change: { kind, id: before.id, before } };
    },
  };
}
