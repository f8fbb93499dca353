import type { SessionReaderId } from '../../src/engine/config/index.js';
import type { KeptIndex } from '../../src/engine/memory/keeper/sync-index.js';
import type { TranscriptPlace } from '../../src/engine/memory/sources/transcripts/transcript-reader.js';
import { openDatabase } from '../../src/engine/sqlite/database.js';
import { type TargetOptions, targetOf } from './memory.js';

/** A line of a transcript of svc's own agents. */
export function message(
  role: string,
  content: unknown,
  timestamp = '2026-02-03T04:05:06.000Z',
): string {
  return `${JSON.stringify({ type: 'message', message: { role, content, timestamp } })}\n`;
}

/** A conversation with noise, letters of several bytes, and a turn that is longer than a small chunk. */
export const TALK = [
  `${JSON.stringify({ type: 'session', id: 's1', timestamp: '2026-02-03T04:00:00.000Z' })}\n`,
  message('user', 'when does the nightly backup of the harbour office run'),
  message('toolResult', 'a list'),
  message('assistant', [
    { type: 'text', text: 'It runs at 02:30 – “every” night, über alles 🦊.' },
  ]),
  'no json at all\n',
  message('user', 'and who is told when it fails'),
  '\n',
  message('assistant', 'Marta is told by mail; the second mail goes to the duty phone.'),
  message('user', 'thanks '.repeat(35)),
  message('assistant', 'You are welcome.'),
].join('');

/** Where the transcripts of a test are. */
export function transcriptPlace(
  root: string,
  reader: SessionReaderId = 'svc',
  projectFolders?: readonly string[],
): TranscriptPlace {
  return { reader, root, label: `sessions/${reader === 'svc' ? 'main' : reader}`, projectFolders };
}

/** `sync.sessions` with its defaults. */
export const GROWTH = { deltaBytes: 100_000, deltaMessages: 50, postCompactionForce: true };

/** An index of a workspace and of transcripts. */
export function transcriptTarget(
  workspaceDir: string,
  places: readonly TranscriptPlace[],
  options: TargetOptions = {},
): KeptIndex {
  return targetOf(workspaceDir, { ...options, transcripts: { places, growth: GROWTH } });
}

/** All that an index keeps of transcripts, in the order in which it keeps it. */
export function transcriptContent(indexFile: string): unknown {
  const database = openDatabase(indexFile, { readonly: true, busyTimeoutMs: 5000 });
  try {
    const count = database.prepare('SELECT count(*) FROM chunks').pluck().get();
    const kept = database.prepare("SELECT value FROM meta WHERE key = 'chunks'").pluck().get();
    if (Number(kept ?? 0) !== count)
      throw new Error(`${kept} chunks are counted, there are ${count}`);
    return {
      documents: database
        .prepare(
          "SELECT path, size, hash, resume FROM documents WHERE source = 'sessions' ORDER BY path",
        )
        .all(),
      chunks: database
        .prepare(
          `SELECT path, start_line, end_line, heading_path, text, line_numbers
           FROM chunks JOIN documents ON documents.id = document_id
           WHERE source = 'sessions' ORDER BY path, chunks.id`,
        )
        .all(),
      words: database
        .prepare("SELECT count(*) AS n FROM chunks_fts WHERE chunks_fts MATCH 'user'")
        .get(),
    };
  } finally {
    database.close();
  }
}
