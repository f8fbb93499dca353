import { lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Connection } from '../../../../sqlite/database.js';
import { hasTable, queryColumn, queryRow, queryRows } from '../../../../sqlite/query.js';
import { isRecord } from '../../../../support/text.js';
import { sortedEntries } from '../../walk.js';
import {
  type LineRecord,
  maskedText,
  NOISE,
  type NumberedTurn,
  recordIn,
  stringField,
  type TranscriptReader,
  zstdDecompressor,
} from '../transcript-reader.js';
import { type StoredSession, sessionsOf, storedConversations } from './stored-conversations.js';
import { isMachineSession, svcReader } from './svc.js';

const DATABASE = 'openclaw-agent.sqlite';

/**
 * OpenClaw since its release 2026.9: `~/.openclaw/agents/<agent>/agent/openclaw-agent.sqlite`
 * (`OPENCLAW_STATE_DIR`). Tables `session_windows(session_id, session_key, spawned_by, updated_at, transcript_updated_at)`
 * and `transcript_events(session_id, seq, event_json, event_zstd, event_utf8_bytes, navigation_json)`; an event is a line
 * of a transcript as svc reads it, compressed with Zstandard if it is long. The first one has the folder (`cwd`). A line of
 * a citation is the number of an event.
 */
export const openclawReader: TranscriptReader = {
  defaultLocation: ({ env, homeDir }) =>
    join(env['OPENCLAW_STATE_DIR'] || join(homeDir, '.openclaw'), 'agents'),
  accepts: (segments, kind) =>
    kind === 'folder'
      ? segments.length < 3 && (segments[1] ?? 'agent') === 'agent'
      : segments.at(-1)?.replace(/-wal$/u, '') === DATABASE,
  read: () => NOISE,
  conversations: (place, listener) =>
    storedConversations(place, listener, { databases: databasesAt, sessions }),
};

/** The databases of all agents in a folder, or one by its path or that of its folder. */
function databasesAt(root: string): readonly string[] {
  if (basename(root) === DATABASE) return [root];
  const agents = sortedEntries(root)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(root, name, 'agent'));
  return [root, ...agents]
    .map((folder) => join(folder, DATABASE))
    .filter((file) => lstatSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

/**
 * Conversations of people, without those that `openclaw memory forget` made the agent forget. One without events is in cold
 * storage, and counts as deleted.
 */
function sessions(database: Connection): readonly StoredSession[] {
  const packed = 'SELECT 1 FROM transcript_events WHERE event_zstd IS NOT NULL LIMIT 1';
  if (zstdDecompressor() === undefined && queryRow(database, packed) !== undefined) {
    throw new Error('long messages are compressed; Node.js 22.15 or newer can read them');
  }
  const forgotten = hasTable(database, 'memory_session_tombstones')
    ? 'AND session_id NOT IN (SELECT session_id FROM memory_session_tombstones)'
    : '';
  const sql = `SELECT session_id AS id, session_key AS key,
      coalesce(transcript_updated_at, updated_at) AS updated,
      (SELECT count(*) FROM transcript_events AS event
        WHERE event.session_id = session.session_id) AS size,
      (SELECT CASE WHEN json_valid(event_json) THEN event_json ->> 'cwd' END
        FROM transcript_events AS event
        WHERE event.session_id = session.session_id AND seq = 0) AS folder
    FROM session_windows AS session
    WHERE size > 0 AND spawned_by IS NULL ${forgotten} ORDER BY session_id`;
  const rows = queryRows<LineRecord>(database, sql);
  return sessionsOf(
    rows.filter((row) => !isMachineSession(stringField(row, 'key') ?? '')),
    turnsIn,
  );
}

/** Of each event: most of a conversation is the output of tools, which is not even unpacked. */
const ROLE = `CASE
    WHEN event_json IS NULL THEN navigation_json ->> '$.navigation.message.role'
    WHEN json_valid(event_json) THEN event_json ->> '$.message.role'
  END`;

/** Events are read one by one: a list of conversations needs only the first message of each. */
function* turnsIn(database: Connection, session: string): Generator<NumberedTurn> {
  const places = queryColumn<unknown>(
    database,
    `SELECT seq FROM transcript_events
      WHERE session_id = ? AND ${ROLE} IN ('user', 'assistant') ORDER BY seq`,
    session,
  );
  const eventAt = database.prepare<unknown[], unknown>(
    'SELECT event_json AS json, event_zstd AS packed FROM transcript_events WHERE session_id = ? AND seq = ?',
  );
  let hasBegun = false;
  for (const seq of places) {
    const event = recordIn(textOfEvent(eventAt.get(session, seq)));
    const meaning = event === undefined ? NOISE : svcReader.read(event);
    // The work of a schedule, unless a person said something before.
    if (meaning.type === 'exclude' && !hasBegun) return;
    if (meaning.type !== 'turn') continue;
    hasBegun = true;
    yield { ...meaning.turn, text: maskedText(meaning.turn.text), line: Number(seq) + 1 };
  }
}

/** OpenClaw leaves longer ones uncompressed. */
const MOST_UNPACKED_BYTES = 4 * 1024 * 1024;

function textOfEvent(row: unknown): unknown {
  const { json, packed } = isRecord(row) ? row : {};
  if (!(packed instanceof Uint8Array)) return json;
  return zstdDecompressor()?.(packed, { maxOutputLength: MOST_UNPACKED_BYTES }).toString('utf8');
}
