/* The conversations of an agent, one by one: those it still has, archived and imported ones. */

export type { SessionListOutput, SessionOutput } from './output-schemas.js';

import { posix } from 'node:path';
import { SvcError } from '../../errors/index.js';
import type { EngineContext } from '../../support/context.js';
import { unlessSystemError } from '../../support/files.js';
import { speaker } from '../../support/format.js';
import { shortHash } from '../../support/text.js';
import { iso } from '../../support/time.js';
import type { ForgetPlan, MemoryStore } from '../forget/index.js';
import { type Forgotten, forgetPlaces, isFollowed, readForgotten } from '../forgotten/index.js';
import { ownTarget, readingsOf, refuseOther } from '../get/index.js';
import type { OpenedMemory } from '../open-memory.js';
import { type ArchivedSession, titleOf } from '../sources/archive/archive-store.js';
import { lastContinuedMs, SessionArchive } from '../sources/archive/session-archive.js';
import {
  archiveSettings,
  missingPlaces,
  type NumberedTurn,
  scanTranscripts,
  type TranscriptFile,
} from '../sources/index.js';
import { lastTurnAt, readableTurns, turnsOf } from '../sources/transcripts/read-conversation.js';
import { placeWarnings, type WorkOptions } from '../sync/index.js';
import type { SessionEntry, SessionOutput } from './output-schemas.js';

/** A conversation that svc knows, and how to read it. */
export interface FoundSession extends SessionEntry {
  readonly file: TranscriptFile;
}

export interface SessionFilter {
  readonly reader?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly beforeMs?: number | undefined;
  /** Only those with such a path, which costs nothing for all others. */
  readonly isWanted?: (path: string) => boolean;
}

/**
 * The conversations of an agent, newest first: those that are searched, and everything in the archive.
 *
 * @throws SvcError ARCHIVE_UNUSABLE, FORGET_LIST_INVALID
 */
export async function findSessions(
  memory: OpenedMemory,
  context: EngineContext,
  { reader, sinceMs, beforeMs, isWanted = () => true }: SessionFilter = {},
): Promise<readonly FoundSession[]> {
  const archive = archiveOf(memory, context);
  const places = memory.sources.transcripts?.places ?? [];
  const archived = archive.sessions().filter(({ path }) => isWanted(path));
  const known = new Map(archived.map((session) => [session.path, session]));
  const forgotten = await readForgotten(memory.forget);
  const isErased = isFollowed(memory.forget);
  const live = scanTranscripts({ places }).files.filter(({ path }) => isWanted(path));
  const isLive = new Set(live.map(({ path }) => path));
  const found = [
    ...live.flatMap((file) => liveSession(file, known.get(file.path), forgotten) ?? []),
    ...archived
      .filter(({ path, turns }) => turns > 0 && !isLive.has(path))
      .flatMap((session) => {
        const file = archive.fileOf(session);
        return archivedSession(session, file, isErased ? undefined : forgotten) ?? [];
      }),
  ];
  return found
    .filter((session) => reader === undefined || session.reader === reader)
    .filter(({ lastAt }) => sinceMs === undefined || Date.parse(lastAt) >= sinceMs)
    .filter(({ lastAt }) => beforeMs === undefined || Date.parse(lastAt) < beforeMs)
    .toSorted((a, b) => Date.parse(b.lastAt) - Date.parse(a.lastAt) || (a.path < b.path ? -1 : 1));
}

/** Warns about folders of conversations that do not exist, so that none of theirs are listed. */
export function missingPlaceWarnings({ sources }: Pick<OpenedMemory, 'sources'>) {
  return placeWarnings(missingPlaces(sources.transcripts?.places ?? []));
}

/** IDs and titles of what is archived, for completion; no titles while they may be forgotten. @throws SvcError ARCHIVE_UNUSABLE */
export function archivedTitles(
  memory: Pick<OpenedMemory, 'agent'>,
  context: EngineContext,
): readonly (readonly [id: string, title: string])[] {
  const isErased = isFollowed(forgetPlaces(context.state, memory.agent.id));
  const sessions = archiveOf(memory, context).sessions();
  return sessions.flatMap(({ path, title, turns }) =>
    turns > 0 ? [[shortHash(path), isErased ? title : '']] : [],
  );
}

/** Where an agent's conversations are kept. */
export function archiveOf({ agent }: Pick<OpenedMemory, 'agent'>, { state }: EngineContext) {
  return new SessionArchive(archiveSettings(agent, state));
}

/** The length of the first part of a UUID: less would also be in other words of a file name. */
const SHORTEST_AGENT_ID = 8;

/**
 * The conversation with an ID, the beginning of one, the ID that its agent shows, a path as in citations, or a citation.
 *
 * @throws SvcError SESSION_UNKNOWN, DOCUMENT_ELSEWHERE
 */
export async function findSession(
  memory: OpenedMemory,
  context: EngineContext,
  wanted: string,
): Promise<FoundSession> {
  const { others: hosts } = memory.home;
  const paths = readingsOf(ownTarget(wanted, hosts)).map(({ path }) => path);
  // Agents name the file of a conversation after its ID, Gemini CLI after the first part of it.
  const [firstPart] = /^[0-9a-f]{8}(?=-)/u.exec(wanted) ?? [];
  const isNamed = (path: string) => {
    const { base, name } = posix.parse(path);
    return (
      (wanted.length >= SHORTEST_AGENT_ID && base.includes(wanted)) ||
      (firstPart !== undefined && name.endsWith(`-${firstPart}`))
    );
  };
  const isWanted = (path: string) =>
    wanted !== '' && (shortHash(path).startsWith(wanted) || paths.includes(path) || isNamed(path));
  const matching = await findSessions(memory, context, { isWanted });
  const [first, ...others] = matching;
  if (first !== undefined && others.length === 0) return first;
  if (first === undefined && hosts !== undefined) await refuseOther(hosts, wanted);
  const what =
    first === undefined
      ? `conversation ${JSON.stringify(wanted)} not found`
      : `${matching.length} conversations match ${JSON.stringify(wanted)}`;
  throw new SvcError('SESSION_UNKNOWN', what, {
    hint: 'run "svc memory sessions list" to see the IDs, or pass a path from a search result',
  });
}

/** A conversation with what was said, without what is forgotten. @throws SvcError DOCUMENT_UNREADABLE */
export async function readSession(
  { file, ...entry }: FoundSession,
  memory: OpenedMemory,
): Promise<SessionOutput> {
  const forgotten = await readForgotten(memory.forget);
  const turns = readTurns(file).flatMap(({ line, role, at = null, text: said }) => {
    const text = forgotten.removeFrom(said);
    return text === '' ? [] : [{ line, role, at, text }];
  });
  return { agent: memory.agentId, ...entry, turns };
}

/** @throws SvcError DOCUMENT_UNREADABLE */
function readTurns(file: TranscriptFile): readonly NumberedTurn[] {
  try {
    return [...turnsOf(file)];
  } catch (error) {
    throw new SvcError('DOCUMENT_UNREADABLE', `cannot read ${file.path}`, {
      hint: 'run "svc memory sessions list" to see whether it still exists',
      cause: error,
    });
  }
}

/** A conversation as Markdown: a heading for each turn, and its text as it was written. */
export function sessionMarkdown({ title, path, startedAt, turns }: SessionOutput): string {
  const about = [`- path: ${path}`, ...(startedAt === null ? [] : [`- started: ${startedAt}`])];
  const said = turns.map(({ role, at, text }) => {
    return `\n## ${speaker(role)}${at === null ? '' : ` (${at})`}\n\n${text}\n`;
  });
  return `# ${title}\n\n${about.join('\n')}\n${said.join('')}`;
}

/** A conversation that its agent still has; undefined if it is not one of this memory. */
function liveSession(
  file: TranscriptFile,
  archived: ArchivedSession | undefined,
  forgotten: Forgotten,
): FoundSession | undefined {
  const first = firstTurn(file, forgotten);
  if (first === undefined) return undefined;
  const startedAt = first.at ?? null;
  // A store has the time of the conversation; a file may have been copied since.
  const lastAt = file.turns === undefined ? unlessSystemError(() => lastTurnAt(file)) : undefined;
  const isKept = archived !== undefined && archived.turns > 0;
  return {
    id: shortHash(file.path),
    path: file.path,
    reader: file.place.reader,
    title: titleOf([first]),
    state: isKept ? 'kept' : 'live',
    startedAt,
    lastAt: lastAt ?? iso(file.mtimeMs),
    archivedBytes: isKept ? archived.bytes : 0,
    file,
  };
}

function firstTurn(file: TranscriptFile, forgotten: Forgotten): NumberedTurn | undefined {
  for (const turn of readableTurns(file)) {
    const text = forgotten.removeFrom(turn.text);
    if (text !== '' && turn.role === 'user') return { ...turn, text };
  }
  return undefined;
}

/** @param forgotten given if the archive may still contain some of it; undefined is returned if nothing is left */
function archivedSession(
  session: ArchivedSession,
  file: TranscriptFile,
  forgotten: Forgotten | undefined,
): FoundSession | undefined {
  const { path, reader, startedAt, bytes, importedFrom } = session;
  const first = forgotten === undefined ? undefined : firstTurn(file, forgotten);
  if (forgotten !== undefined && first === undefined) return undefined;
  const title = first === undefined ? session.title : titleOf([first]);
  return {
    id: shortHash(path),
    path,
    reader,
    title,
    state: importedFrom === null ? 'archived' : 'imported',
    startedAt,
    lastAt: iso(lastContinuedMs(session)),
    archivedBytes: bytes,
    file,
  };
}

/**
 * Finds what forgetting a conversation removes. It may be in the archive and not be searched, so its text is not
 * looked for in the index.
 *
 * @throws SvcError DOCUMENT_UNREADABLE
 */
export async function planForgetSession(
  { path, file }: FoundSession,
  memory: OpenedMemory,
  work: WorkOptions,
): Promise<ForgetPlan> {
  const { absolutePath } = file;
  const target = { path, absolutePath, turns: readTurns(file) };
  const forgetting = await memory.backend.forgetting();
  return forgetting.plan({ target }, work);
}

/** The archive as a store that forgotten text is removed from; undefined if there is none. */
export function archiveStore(
  memory: Pick<OpenedMemory, 'agent'>,
  context: EngineContext,
): MemoryStore | undefined {
  const archive = archiveOf(memory, context);
  if (!archive.exists) return undefined;
  return {
    follow: async (forgotten, { signal } = {}) => {
      const changed = await archive.erase((text) => forgotten.removeFrom(text), signal);
      return { store: 'archive of conversations', changed, clean: true };
    },
  };
}
