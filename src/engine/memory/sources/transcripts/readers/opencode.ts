import { lstatSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf } from '../../../../errors/index.js';
import { type Connection, openDatabase } from '../../../../sqlite/database.js';
import { queryRows } from '../../../../sqlite/query.js';
import { isRecord, shortHash } from '../../../../support/text.js';
import { unlessGone } from '../../skips.js';
import { fingerprintOf, sortedEntries } from '../../walk.js';
import {
  isOfProject,
  type LineRecord,
  maskedText,
  NOISE,
  type NumberedTurn,
  recordIn,
  roleOf,
  stringField,
  type TranscriptFile,
  type TranscriptPlace,
  type TranscriptReader,
  textOfContent,
  timeOf,
  withoutInjections,
} from '../transcript-reader.js';

const DATABASE = 'opencode.db';
/** Builds of other channels have their own: `opencode-dev.db`. */
const ANY_DATABASE = /^opencode(?:-[\w.-]+)?\.db$/u;
/** OpenCode holds its lock only while it commits. */
const BUSY_MS = 2000;

/**
 * OpenCode: `~/.local/share/opencode/opencode.db` (`OPENCODE_DB`), which is opened read-only. Tables
 * `session(id, parent_id, directory, title, time_updated)`, `message(id, session_id, time_created, data)` and
 * `part(id, message_id, session_id, data)`; `data` is JSON. A line of a citation is the number of a message.
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
  conversations(place, listener) {
    const databases = unlessGone(place.root, listener, databasesAt) ?? [];
    return databases.flatMap((file) => {
      try {
        return withDatabase(file, sessions).flatMap((row) => transcriptOf(row, place, file) ?? []);
      } catch (error) {
        const path = `${place.label}/${basename(file)}`;
        listener.onSkip({ path, reason: 'unreadable', detail: messageOf(error) });
        return [];
      }
    });
  },
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

function withDatabase<T>(file: string, use: (database: Connection) => T): T {
  const database = openDatabase(file, { readonly: true, busyTimeoutMs: BUSY_MS });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** Conversations of people: those of sub-agents have a parent. */
function sessions(database: Connection): readonly unknown[] {
  return queryRows(
    database,
    `SELECT id, directory, time_updated AS updated,
       (SELECT count(*) FROM part WHERE part.session_id = session.id) AS parts
     FROM session WHERE parent_id IS NULL AND typeof(id) = 'text' ORDER BY id`,
  );
}

function transcriptOf(
  row: unknown,
  place: TranscriptPlace,
  absolutePath: string,
): TranscriptFile | undefined {
  if (!isRecord(row)) return undefined;
  const { id, directory: folder, updated, parts } = row;
  if (typeof id !== 'string' || typeof parts !== 'number' || typeof updated !== 'number') {
    return undefined;
  }
  const isElsewhere =
    place.projectFolders !== undefined &&
    (typeof folder !== 'string' || !isOfProject(folder, place.projectFolders));
  if (isElsewhere) return undefined;
  const name = /^\w{1,80}$/u.test(id) ? id : shortHash(id);
  return {
    source: 'sessions',
    kind: 'transcript',
    path: `${place.label}/${name}`,
    absolutePath,
    place,
    // Parts are added until an answer is complete. The time is not one of a file system, whose clock would be
    // ahead if it were in the future.
    ...fingerprintOf({ size: parts, mtimeMs: updated, ctimeMs: 0 }),
    turns: () => withDatabase(absolutePath, (database) => turnsIn(database, id)),
  };
}

function turnsIn(database: Connection, session: string): readonly NumberedTurn[] {
  const messages = queryRows<unknown>(
    database,
    'SELECT id, time_created AS at, data FROM message WHERE session_id = ? ORDER BY time_created, id',
    session,
  );
  const partsOf = database
    .prepare('SELECT data FROM part WHERE message_id = ? ORDER BY id')
    .pluck();
  return messages.flatMap((message, at): readonly NumberedTurn[] => {
    if (!isRecord(message)) return [];
    const role = roleOf(stringField(recordIn(message['data']) ?? {}, 'role'));
    if (role === undefined) return [];
    const parts = partsOf.all(message['id']).map(recordIn);
    const text = maskedText(withoutInjections(textOfContent(parts, isSaid)));
    return text === '' ? [] : [{ role, text, at: timeOf(message['at']), line: at + 1 }];
  });
}

/** What a person or the agent said; `synthetic` parts are files and notes that OpenCode adds. */
function isSaid({ type, synthetic, ignored }: LineRecord): boolean {
  return type === 'text' && synthetic !== true && ignored !== true;
}
