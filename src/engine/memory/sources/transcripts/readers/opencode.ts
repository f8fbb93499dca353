import { lstatSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Connection } from '../../../../sqlite/database.js';
import { hasTable, queryRows } from '../../../../sqlite/query.js';
import { isRecord } from '../../../../support/text.js';
import { sortedEntries } from '../../walk.js';
import {
  type LineRecord,
  maskedText,
  NOISE,
  type NumberedTurn,
  recordIn,
  roleOf,
  stringField,
  type TranscriptReader,
  type TurnRole,
  textOfContent,
  timeOf,
  withoutInjections,
} from '../transcript-reader.js';
import { type StoredSession, sessionsOf, storedConversations } from './stored-conversations.js';

const DATABASE = 'opencode.db';
/** Builds of other channels have their own: `opencode-dev.db`. */
const ANY_DATABASE = /^opencode(?:-[\w.-]+)?\.db$/u;

/**
 * OpenCode: `~/.local/share/opencode/opencode.db` (`OPENCODE_DB`). Tables
 * `session(id, parent_id, directory, title, time_updated)`, `message(id, session_id, time_created, data)` and
 * `part(id, message_id, session_id, data)`; `data` is JSON. A line of a citation is the number of a message.
 *
 * Version 2: `session_v2`, with the same columns, and `session_message(id, session_id, type, seq, time_created, time_updated,
 * data)`. It copies the earlier tables once and leaves them; version 1 goes on writing to them where both are installed
 * (https://github.com/anomalyco/opencode, packages/core/src/session/message.ts).
 */
export const opencodeReader: TranscriptReader = {
  defaultLocation: ({ env, homeDir }) => {
    const data = env['XDG_DATA_HOME'] || join(homeDir, '.local', 'share');
    // OpenCode takes a relative OPENCODE_DB from its data folder.
    const file = resolve(data, 'opencode', env['OPENCODE_DB'] || DATABASE);
    // A folder can be watched for the database's log as well.
    return basename(file) === DATABASE ? dirname(file) : file;
  },
  accepts: ([name = '', ...below], kind) =>
    kind === 'file' && below.length === 0 && ANY_DATABASE.test(name.replace(/-wal$/u, '')),
  read: () => NOISE,
  conversations: (place, listener) =>
    storedConversations(place, listener, { databases: databasesAt, sessions }),
};

/** The databases in a folder, or at a path. */
function databasesAt(root: string): readonly string[] {
  const files = lstatSync(root).isDirectory()
    ? sortedEntries(root)
        .filter(({ name }) => ANY_DATABASE.test(name))
        .map(({ name }) => join(root, name))
    : [root];
  return files.filter((file) => lstatSync(file).isFile());
}

/** Conversations of people: those of sub-agents have a parent. One that both versions have is read where it went on. */
function sessions(database: Connection): readonly StoredSession[] {
  const newest = new Map<string, StoredSession>();
  for (const session of [...sessionsOfVersion1(database), ...sessionsOfVersion2(database)]) {
    const other = newest.get(session.id);
    if (other === undefined || session.updated >= other.updated) newest.set(session.id, session);
  }
  return [...newest.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function sessionsOfVersion1(database: Connection): readonly StoredSession[] {
  // Without the tables of either version, the query says what is missing.
  if (!hasTable(database, 'session') && hasTable(database, 'session_v2')) return [];
  const sql = `SELECT id, directory AS folder, time_updated AS updated,
      (SELECT count(*) FROM part WHERE part.session_id = session.id) AS size
    FROM session WHERE parent_id IS NULL`;
  return sessionsOf(queryRows(database, sql), turnsOfVersion1);
}

function sessionsOfVersion2(database: Connection): readonly StoredSession[] {
  if (!hasTable(database, 'session_v2')) return [];
  const sql = `SELECT id, directory AS folder, max(time_updated, coalesce(changed, 0)) AS updated,
      coalesce(messages, 0) AS size
    FROM session_v2 LEFT JOIN (
      SELECT session_id, max(time_updated) AS changed, count(*) AS messages
      FROM session_message GROUP BY session_id
    ) ON session_id = id
    WHERE parent_id IS NULL`;
  return sessionsOf(queryRows(database, sql), turnsOfVersion2);
}

/** Messages are read one by one: a list of conversations needs only the first of each. */
function* turnsOfVersion1(database: Connection, session: string): Generator<NumberedTurn> {
  const messages = queryRows<unknown>(
    database,
    'SELECT id, time_created AS at, data FROM message WHERE session_id = ? ORDER BY time_created, id',
    session,
  );
  // Most of a conversation is the output of tools, which SQLite skips ten times as fast.
  const partsOf = database
    .prepare(
      `SELECT data FROM part WHERE message_id = ?
        AND CASE WHEN json_valid(data) THEN data ->> 'type' END = 'text' ORDER BY id`,
    )
    .pluck();
  for (const [at, message] of messages.entries()) {
    if (!isRecord(message)) continue;
    const role = roleOf(stringField(recordIn(message['data']) ?? {}, 'role'));
    const parts = role === undefined ? [] : partsOf.all(message['id']).map(recordIn);
    yield* turnOf(role, parts, message['at'], at + 1);
  }
}

function* turnsOfVersion2(database: Connection, session: string): Generator<NumberedTurn> {
  const messages = queryRows<unknown>(
    database,
    'SELECT id, type, time_created AS at FROM session_message WHERE session_id = ? ORDER BY seq, id',
    session,
  );
  const dataOf = database.prepare('SELECT data FROM session_message WHERE id = ?').pluck();
  for (const [at, message] of messages.entries()) {
    if (!isRecord(message)) continue;
    // Others are notes of the program, commands and summaries.
    const role = roleOf(stringField(message, 'type'));
    if (role === undefined) continue;
    const { text, content } = recordIn(dataOf.get(message['id'])) ?? {};
    yield* turnOf(role, role === 'user' ? text : content, message['at'], at + 1);
  }
}

function turnOf(
  role: TurnRole | undefined,
  content: unknown,
  at: unknown,
  line: number,
): readonly NumberedTurn[] {
  const written = textOfContent(content, isSaid);
  const said = role === 'user' ? unquoted(written) : written;
  const text = maskedText(withoutInjections(said));
  return role === undefined || text === '' ? [] : [{ role, text, at: timeOf(at), line }];
}

/** What a person or the agent said; `synthetic` parts are files and notes that OpenCode adds. */
function isSaid({ type, synthetic, ignored }: LineRecord): boolean {
  return type === 'text' && synthetic !== true && ignored !== true;
}

/** `opencode run "where is it"` records its argument in quotes. */
function unquoted(text: string): string {
  const inner = text.slice(1, -1);
  const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"');
  const hasOthers = inner.replaceAll('\\"', '').includes('"');
  return isQuoted && !hasOthers ? inner.replaceAll('\\"', '"') : text;
}
