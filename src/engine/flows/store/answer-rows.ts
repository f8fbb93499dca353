import type { Connection } from '../../sqlite/database.js';

/** The first answer to a request with an idempotency key. */
interface KeptAnswer {
  readonly bodyHash: string;
  /** JSON text. */
  readonly answer: string;
}

/** A key is unique within an owner and an action. */
interface AnswerKey {
  readonly ownerKey: string;
  readonly action: string;
  readonly key: string;
}

/** The table of answers for repeated requests. Callers hold a transaction where they write. */
export function answerRows(database: Connection) {
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
    /** Undefined if there is none, or it has expired. */
    find: (key: AnswerKey, nowMs: number) => find.get({ ...key, nowMs }),
    keep: (key: AnswerKey, answer: KeptAnswer, expiresAt: number) => {
      keep.run({ ...key, ...answer, expiresAt });
    },
    /** @returns how many were deleted */
    prune: (nowMs: number, limit: number) => prune.run(nowMs, limit).changes,
  };
}
