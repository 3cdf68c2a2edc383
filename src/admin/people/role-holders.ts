import { z } from 'zod';
import type { RoleHolder } from '../../accounts/last-owner.ts';
import { contentVersion } from '../../core/content-version.ts';
import { missing } from '../api/sent-values.ts';
import { isoTime, timeSchema, versionSchema } from '../api/wire.ts';

/** Schema and documents of members or operators. */
export function roleHolders<Role extends z.ZodType<string, string>>(role: Role, kind: 'member' | 'operator') {
  const fields = {
    id: z.string(),
    email: z.string(),
    name: z.string(),
    role,
    since: timeSchema,
    version: versionSchema,
  };
  const shown = ({ userId: id, email, name, role: has, createdAt }: RoleHolder<z.output<Role>>) => {
    // Only the role can be changed here.
    const version = contentVersion({ id, role: has });
    return { id, email, name, role: has, since: isoTime(createdAt), version };
  };
  const at = async (all: Promise<readonly RoleHolder<z.output<Role>>[]>, id: string) => {
    const holder = (await all).find(({ userId }) => userId === id);
    if (!holder) throw missing(kind);
    return shown(holder);
  };
  return { schema: z.strictObject(fields), shown, at };
}
