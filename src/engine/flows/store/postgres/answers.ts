import type { AnswerKey, AnswerRows, KeptAnswer } from '../tables.js';
import type { Batch, Turn } from './batch.js';

/** The answers for repeated requests. */
export function answersIn(turn: Turn): AnswerRows {
  const { batch } = turn;
  return {
    find: async (key, nowMs) => {
      await turn.take('answer', nameOf(key));
      return batch.ask(findAll, (wanted) => findAll(batch, wanted), { ...key, nowMs });
    },
    keep: async (key, answer, expiresAt) => {
      const kept = { ...key, ...answer, expiresAt };
      await batch.ask(keepAll, (all) => keepAll(batch, all), kept);
    },
  };
}

interface Wanted extends AnswerKey {
  readonly nowMs: number;
}

interface Kept extends AnswerKey, KeptAnswer {
  readonly expiresAt: number;
}

const KEYS = `json_to_recordset($1::json) AS r("ownerKey" text, action text, key text, "nowMs" bigint)`;

/**
 * The row of a key is inserted before its change is made, so that another host with the same key waits for it: when
 * the transaction of the first has ended, the second sees its answer, or makes the change itself.
 */
async function findAll(
  batch: Batch,
  wanted: readonly Wanted[],
): Promise<readonly (KeptAnswer | undefined)[]> {
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
  const rows = await batch.query<AnswerKey & KeptAnswer>(
    `SELECT r."ownerKey", r.action, r.key, body_hash AS "bodyHash", answer
     FROM ${KEYS} JOIN svc.answers AS a
     ON (a.owner_key, a.action, a.key) = (r."ownerKey", r.action, r.key)`,
    [keys],
  );
  const found = new Map(rows.map((row) => [nameOf(row), row]));
  return wanted.map((key) => (ours.has(nameOf(key)) ? undefined : found.get(nameOf(key))));
}

async function keepAll(batch: Batch, kept: readonly Kept[]): Promise<readonly undefined[]> {
  await batch.run(
    `UPDATE svc.answers AS a
     SET body_hash = r."bodyHash", answer = r.answer, expires_at = r."expiresAt"
     FROM json_to_recordset($1::json) AS r("ownerKey" text, action text, key text,
       "bodyHash" text, answer text, "expiresAt" bigint)
     WHERE (a.owner_key, a.action, a.key) = (r."ownerKey", r.action, r.key)`,
    [JSON.stringify(kept)],
  );
  return kept.map(() => undefined);
}

function nameOf({ ownerKey, action, key }: AnswerKey): string {
  return JSON.stringify([ownerKey, action, key]);
}
