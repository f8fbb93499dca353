import type { Connection } from '../../../sqlite/database.js';
import type { AnswerKey, AnswerRows, KeptAnswer } from '../../flow-store.js';

/** The table of answers for repeated requests. Callers hold a transaction where they write. */
export function answerRows(database: Connection): AnswerRows {
  const find = database.prepare<[AnswerKey & { readonly nowMs: number }], KeptAnswer>(
    `SELECT body_hash AS bodyHash, answer FROM answers
     WHERE owner_key = @ownerKey AND action = @action AND key = @key AND expires_at > @nowMs`,
  );
  const keep = database.prepare<[AnswerKey & KeptAnswer & { readonly expiresAt: number }]>(
    `INSERT OR REPLACE INTO answers (owner_key, action, key, body_hash, answer, expires_at)
     VALUES (@ownerKey, @action, @key, @bodyHash, @answer, @expiresAt)`,
  );
  const prune = database.prepare<[number, number]>(
    `DELETE FROM answers WHERE (owner_key, action, key) IN (
       SELECT owner_key, action, key FROM answers WHERE expires_at <= ? LIMIT ?)`,
  );
  return {
    find: async (key, nowMs) => find.get({ ...key, nowMs }),
    keep: async (key, answer, expiresAt) => {
      keep.run({ ...key, ...answer, expiresAt });
    },
    prune: async (nowMs, limit) => prune.run(nowMs, limit).changes,
  };
}
