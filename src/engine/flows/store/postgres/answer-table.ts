import type { AnswerKey, AnswerRows, KeptAnswer } from '../../flow-store.js';
import type { Question, Turn } from './batch.js';

interface Wanted extends AnswerKey {
  readonly nowMs: number;
}

interface Kept extends AnswerKey, KeptAnswer {
  readonly expiresAt: number;
}

type FoundAnswer = AnswerKey & KeptAnswer;

const KEYS = `json_to_recordset($1::json) AS r("ownerKey" text, action text, key text, "nowMs" bigint)`;

/**
 * The row of a key is inserted before its change is made, so that another host with the same key waits for it: when
 * the transaction of the first has ended, the second sees its answer, or makes the change itself.
 */
const find: Question<Wanted, KeptAnswer | undefined> = async (batch, wanted) => {
  const keys = JSON.stringify(wanted);
  const own = await batch.query<AnswerKey>(
    `INSERT INTO svc.answers AS a (owner_key, action, key, body_hash, answer, expires_at)
     SELECT "ownerKey", action, key, '', '', "nowMs" FROM ${KEYS}
     ORDER BY "ownerKey", action, key
     ON CONFLICT (owner_key, action, key) DO UPDATE SET expires_at = excluded.expires_at
       WHERE a.expires_at <= excluded.expires_at
     RETURNING owner_key AS "ownerKey", action, key`,
    [keys],
  );
  const ours = new Set(own.map(nameOf));
  if (wanted.every((key) => ours.has(nameOf(key)))) return wanted.map(() => undefined);
  const rows = await batch.query<FoundAnswer>(
    `SELECT r."ownerKey", r.action, r.key, body_hash AS "bodyHash", answer
     FROM ${KEYS} JOIN svc.answers AS a
     ON (a.owner_key, a.action, a.key) = (r."ownerKey", r.action, r.key)`,
    [keys],
  );
  const found = new Map(rows.map((row) => [nameOf(row), row]));
  return wanted.map((key) => (ours.has(nameOf(key)) ? undefined : found.get(nameOf(key))));
};

const keep: Question<Kept, undefined> = async (batch, kept) => {
  await batch.run(
    `UPDATE svc.answers AS a
     SET body_hash = r."bodyHash", answer = r.answer, expires_at = r."expiresAt"
     FROM json_to_recordset($1::json) AS r("ownerKey" text, action text, key text,
       "bodyHash" text, answer text, "expiresAt" bigint)
     WHERE (a.owner_key, a.action, a.key) = (r."ownerKey", r.action, r.key)`,
    [JSON.stringify(kept)],
  );
  return kept.map(() => undefined);
};

/** The table of answers for repeated requests. */
export class AnswerTable implements AnswerRows {
  private readonly turn: Turn;

  constructor(turn: Turn) {
    this.turn = turn;
  }

  async find(key: AnswerKey, nowMs: number): Promise<KeptAnswer | undefined> {
    await this.turn.take('answer', nameOf(key));
    return this.turn.batch.ask(find, { ...key, nowMs });
  }

  async keep(key: AnswerKey, answer: KeptAnswer, expiresAt: number): Promise<void> {
    await this.turn.batch.ask(keep, { ...key, ...answer, expiresAt });
  }

  prune(nowMs: number, limit: number): Promise<number> {
    return this.turn.batch.run(
      `DELETE FROM svc.answers WHERE (owner_key, action, key) IN (
         SELECT owner_key, action, key FROM svc.answers WHERE expires_at <= $1
         LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [nowMs, limit],
    );
  }
}

function nameOf({ ownerKey, action, key }: AnswerKey): string {
  return JSON.stringify([ownerKey, action, key]);
}
