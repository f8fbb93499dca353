import { join } from 'node:path';
import { redactSecrets } from '../../masking/index.js';
import { letOthersRun } from '../../support/async.js';
import { splitClaims, statementsOfTurn } from '../chunking/split-claims.js';
import { DISTINCTIVE_BYTES, Forgotten, hashesOf, rangesOf, wordsOf } from '../forgotten/index.js';
import type { ReadContext } from '../get/index.js';
import type { StoredDocument } from '../index/index.js';
import {
  absoluteFromDisplay,
  type DocumentText,
  DREAM_REPORTS,
  displayPath,
  lineAt,
  readDocument,
  resolveWorkspace,
  scanTranscripts,
  walkFolder,
} from '../sources/index.js';
import { readableTurns } from '../sources/transcripts/read-conversation.js';
import type { ForgetPassage, ForgetPlace } from './read-passages.js';

/** Copies of planned lines elsewhere. */
export interface SameLines {
  readonly places: readonly ForgetPlace[];
  /** Statements that dreaming makes of such a line together with others, on one line: it may have recorded them. */
  readonly statements: readonly string[];
}

/** @param fromFile reports of dreaming count too @throws the signal's reason */
export async function sameLines(
  passages: readonly ForgetPassage[],
  { fromFile, ...notes }: NotesToRead & { readonly fromFile: boolean },
): Promise<SameLines> {
  const parts = passages.flatMap((passage) => passage.parts);
  const forgotten = planned(parts);
  const hasTrace = traceFinder(parts);
  const statements: string[] = [];
  const places = await placesIn(notes, ({ path, isOwnWriting, document }) => {
    // Reports outside memory go only with the files; their entries are matched by their own words.
    if (isOwnWriting && !fromFile) return [];
    const found = new Set(forgotten.linesIn(document.lines));
    if (isOwnWriting) for (const line of linesWithTraces(document, hasTrace)) found.add(line);
    if (found.size > 0) {
      const claims = splitClaims(document.lines.text).map(({ text }) => text);
      statements.push(...withTraces(claims, hasTrace, forgotten));
    }
    const own = passages.filter((passage) => passage.path === path && passage.origin === undefined);
    return [...found].filter(
      (at) => !own.some(({ startLine, endLine }) => at + 1 >= startLine && at < endLine),
    );
  });
  return { places, statements };
}

function withTraces(
  claims: readonly string[],
  hasTrace: TraceFinder,
  forgotten: Forgotten,
): readonly string[] {
  return claims.filter((claim) => hasTrace(claim) && forgotten.removeFrom(claim) === claim);
}

/**
 * The same for turns of conversations.
 *
 * @param context.forgotten turns that it hides completely are left out
 * @throws the signal's reason
 */
export async function sameTurns(
  passages: readonly ForgetPassage[],
  {
    sources: { transcripts },
    forgotten,
    signal,
  }: Pick<ReadContext, 'forgotten' | 'signal' | 'sources'>,
): Promise<SameLines> {
  if (transcripts === undefined) return { places: [], statements: [] };
  const parts = passages.flatMap((passage) => passage.parts);
  const wanted = planned(parts);
  const hasTrace = traceFinder(parts);
  const statements: string[] = [];
  const places: ForgetPlace[] = [];
  for (const file of scanTranscripts(transcripts).files) {
    // Reading all of them can take a minute.
    await letOthersRun(signal);
    const { path, absolutePath } = file;
    const own = passages.filter((passage) => passage.path === path && passage.origin === undefined);
    const found = new Set<number>();
    for (const { line, text } of readableTurns(file)) {
      if (own.some(({ startLine, endLine }) => line >= startLine && line <= endLine)) continue;
      const isGone = forgotten.removeFrom(text) === '';
      if (isGone || wanted.removeFrom(text) === text) continue;
      found.add(line - 1);
      statements.push(...withTraces(statementsOfTurn(text), hasTrace, wanted));
    }
    const place = { path, absolutePath, fileHash: undefined };
    places.push(...rangesOf(found).map((range) => ({ ...place, ...range })));
  }
  return { places, statements };
}

function planned(parts: readonly string[]): Forgotten {
  return new Forgotten('', [{ documents: [], lines: parts.map((text) => hashesOf('', text)) }]);
}

/** Where the current files still contain forgotten text: within other words, or written since. */
export async function remainsOf(
  { passages }: { readonly passages: readonly ForgetPassage[] },
  { index, sources, signal }: Pick<ReadContext, 'index' | 'signal' | 'sources'>,
): Promise<readonly ForgetPlace[]> {
  const workspaceDir = resolveWorkspace(sources.memory.workspaceDir);
  const hasTrace = traceFinder(passages.flatMap((passage) => passage.parts));
  const notes = { documents: await index.documents(), workspaceDir, signal };
  return placesIn(notes, ({ document }) => linesWithTraces(document, hasTrace));
}

/** A file that may contain text to be forgotten. */
interface ReadableFile {
  readonly path: string;
  /** Written by dreaming and not memory: its content comes from elsewhere. */
  readonly isOwnWriting: boolean;
  readonly document: DocumentText;
}

const DIARIES = ['DREAMS.md', 'dreams.md'];

interface NotesToRead {
  readonly documents: readonly StoredDocument[];
  readonly workspaceDir: string;
  readonly signal?: AbortSignal | undefined;
}

/** So many files are read before others use the event loop. */
const WITHOUT_PAUSE = 64;

/** Lines of the readable notes of a memory, and of the diary and reports of dreaming. @throws the signal's reason */
async function placesIn(
  { documents, workspaceDir, signal }: NotesToRead,
  linesOf: (file: ReadableFile) => Iterable<number>,
): Promise<readonly ForgetPlace[]> {
  const notes = documents
    .filter(({ kind }) => kind === 'markdown' || kind === 'text')
    .map(({ path }) => absoluteFromDisplay(workspaceDir, path));
  const seen = new Set(notes);
  const reports = walkFolder(join(workspaceDir, DREAM_REPORTS), { onSkip: () => undefined });
  const own = [
    ...DIARIES.map((name) => join(workspaceDir, name)),
    ...[...reports].map(({ absolutePath }) => absolutePath),
  ].filter((file) => !seen.has(file));
  const places: ForgetPlace[] = [];
  for (const [at, absolutePath] of [...notes, ...own].entries()) {
    if (at % WITHOUT_PAUSE === 0) await letOthersRun(signal);
    const path = displayPath(workspaceDir, absolutePath);
    const outcome = readDocument(absolutePath, path);
    if (!outcome.ok) continue;
    const { document } = outcome;
    const lines = linesOf({ path, isOwnWriting: !seen.has(absolutePath), document });
    const place = { path, absolutePath, fileHash: document.hash };
    places.push(...rangesOf(lines).map((range) => ({ ...place, ...range })));
  }
  return places;
}

/** What of a text is recognised within other words: longer lines, and anything that looks like a secret. */
export function tracesIn(texts: readonly string[]): readonly string[] {
  const lines = texts.flatMap((text) => text.split('\n')).map(wordsOf);
  const distinctive = lines.filter((words) => Buffer.byteLength(words) >= DISTINCTIVE_BYTES);
  const secrets: string[] = [];
  for (const text of texts) {
    redactSecrets(text, (secret) => {
      secrets.push(secret);
      return '';
    });
  }
  return [...new Set([...distinctive, ...secrets])].filter((trace) => trace !== '');
}

type TraceFinder = (line: string) => boolean;

/** Whether a line contains a trace, in any capitals: in the middle of another sentence, one begins with a small letter. */
function traceFinder(texts: readonly string[]): TraceFinder {
  const traces = tracesIn(texts).map((trace) => trace.toLowerCase());
  return (line) => {
    if (traces.length === 0) return false;
    const words = wordsOf(line).toLowerCase();
    return traces.some((trace) => words.includes(trace));
  };
}

/** The lines of a document that contain a trace, counted from 0. */
function linesWithTraces({ lines }: DocumentText, hasTrace: TraceFinder): ReadonlySet<number> {
  const found = new Set<number>();
  for (let at = 0; at < lines.count; at++) if (hasTrace(lineAt(lines, at))) found.add(at);
  return found;
}
