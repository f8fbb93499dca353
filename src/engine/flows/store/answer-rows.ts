import type { Connection } from '../../sqlite/database.js';

/** The first answer to a request that had an idempotency key. */
export interface KeptAnswer {
  readonly bodyHash: string;
  /** The answer as JSON text. */
  readonly answer: string;
}

/** What a key is unique in. */
export interface AnswerKey {
  readonly ownerKey: string;
  readonly action: string;
  readonly key: string;
}

/** The table of answers that repeated requests get. Callers hold a transaction where they write. */
export interface AnswerRows {
  /** Undefined also where it is older than it is kept. */
  find(key: AnswerKey, nowMs: number): KeptAnswer | undefined;
  keep(key: AnswerKey, answer: KeptAnswer, expiresAt: number): void;
  /** @returns how many were deleted */
  prune(nowMs: number, limit: number): number;
}

/** Prepares the statements of the table of answers. */
export function answerRows(database: Connection): AnswerRows {
  const find = database.prepare<[string, string, string, number], KeptAnswer>(
    `SELECT body_hash AS bodyHash, answer FROM answers
     WHERE owner_key = ? AND action = ? AND key = ? AND expires_at > ?`,
  );
  const keep = database.prepare<[string, string, string, string, string, number]>(
    `INSERT OR REPLACE INTO answers (owner_key, action, key, body_hash, answer, expires_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const prune = database.prepare<[number, number]>(
    `DELETE FROM answers WHERE (owner_key, action, key) IN (
       SELECT owner_key, action, key FROM answers WHERE expires_at <= ? LIMIT ?)`,
  );
  return {
    find: ({ ownerKey, action, key }, nowMs) => find.get(ownerKey, action, key, nowMs),
    keep: ({ ownerKey, action, key }, { bodyHash, answer }, expiresAt) => {
      keep.run(ownerKey, action, key, bodyHash, answer, expiresAt);
    },
    prune: (nowMs, limit) => prune.run(nowMs, limit).changes,
  };
}
