import { type Kysely, sql } from 'kysely';

/**
 * Index on the requests of one account for one of its users. The account's index had to read all its requests until
 * enough of that user were found. The user's index read the requests of every account with a user of that name.
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
