import { type Kysely, sql } from 'kysely';

/**
 * The requests that one account made for one of its users. By the account's own index all of them were read until enough of
 * that user's had come by, and by the user's those of every account that has one of that name.
 */
export const requestsOfUsers = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createIndex('requests_by_account_user')
      .on('requests')
      .columns(['account_id', 'user_id', 'started_at', 'id'])
      .where(sql.ref('user_id'), 'is not', null)
      .execute();
  },
};
