import { basename, relative } from 'node:path';
import { messageOf } from '../../../../errors/index.js';
import { type Connection, openDatabase } from '../../../../sqlite/database.js';
import { closing } from '../../../../support/async.js';
import { isRecord, shortHash } from '../../../../support/text.js';
import { unlessGone } from '../../skips.js';
import { fingerprintOf, type WalkListener } from '../../walk.js';
import {
  isOfProject,
  type NumberedTurn,
  type TranscriptFile,
  type TranscriptPlace,
} from '../transcript-reader.js';

/** Agents hold the lock of their database only while they commit. */
const BUSY_MS = 2000;

/** A conversation in a database. */
export interface StoredSession {
  readonly id: string;
  /** Where it took place; undefined or anything else if that is not known. */
  readonly folder: unknown;
  /** When it changed last, in milliseconds since the epoch. */
  readonly updated: number;
  /** Number of its messages, or of their parts. */
  readonly size: number;
  /** Its turns, in order. */
  readonly turnsIn: (database: Connection, id: string) => Generator<NumberedTurn>;
}

/** How an agent stores conversations. */
interface Store {
  /** The databases below a place, or at it. @throws the system's error */
  readonly databases: (root: string) => readonly string[];
  /** @throws an error that says why its conversations cannot be read */
  readonly sessions: (database: Connection) => readonly StoredSession[];
}

/**
 * The conversations of a place in databases, which are opened read-only, also while the agent runs. Those that cannot be
 * read are reported.
 */
export function storedConversations(
  place: TranscriptPlace,
  listener: WalkListener,
  { databases, sessions }: Store,
): readonly TranscriptFile[] {
  return (unlessGone(place.root, listener, databases) ?? []).flatMap((file) => {
    try {
      using database = closing(openReadOnly(file));
      return sessions(database).flatMap((found) => transcriptOf(found, place, file) ?? []);
    } catch (error) {
      const path = `${place.label}/${relative(place.root, file) || basename(file)}`;
      listener.onSkip({ path, reason: 'unreadable', detail: messageOf(error) });
      return [];
    }
  });
}

function openReadOnly(file: string): Connection {
  return openDatabase(file, { readonly: true, busyTimeoutMs: BUSY_MS });
}

/** The sessions in rows with the columns `id`, `folder`, `updated` and `size`. */
export function sessionsOf(
  rows: readonly unknown[],
  turnsIn: StoredSession['turnsIn'],
): readonly StoredSession[] {
  return rows.filter(isRecord).flatMap(({ id, folder, updated, size }) => {
    const isSession =
      typeof id === 'string' && typeof size === 'number' && typeof updated === 'number';
    return isSession ? [{ id, folder, updated, size, turnsIn }] : [];
  });
}

function transcriptOf(
  { id, folder, updated, size, turnsIn }: StoredSession,
  place: TranscriptPlace,
  absolutePath: string,
): TranscriptFile | undefined {
  const isElsewhere =
    place.projectFolders !== undefined &&
    (typeof folder !== 'string' || !isOfProject(folder, place.projectFolders));
  if (isElsewhere) return undefined;
  const name = /^[\w-]{1,80}$/u.test(id) ? id : shortHash(id);
  return {
    source: 'sessions',
    kind: 'transcript',
    path: `${place.label}/${name}`,
    absolutePath,
    place,
    // Parts are added until an answer is complete. The time is not one of a file system, whose clock would be
    // ahead if it were in the future.
    ...fingerprintOf({ size, mtimeMs: updated, ctimeMs: 0 }),
    turns: function* () {
      using database = closing(openReadOnly(absolutePath));
      yield* turnsIn(database, id);
    },
  };
}
