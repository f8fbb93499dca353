import { isErrorCode, SvcError, type Warning } from '../errors/index.js';
import type { MemoryBackend } from '../memory/backends/memory-backend.js';
import { type GetResponse, ownTarget } from '../memory/get/index.js';
import type { IndexHome } from '../memory/home/index.js';
import type { OpenedMemory } from '../memory/index.js';
import { documentName, type SearchResponse } from '../memory/search/index.js';
import { embeddingWarnings, type SyncEvent } from '../memory/sync/index.js';
import type { Metrics } from './metrics.js';
import type { EvalVariant } from './output-schemas.js';
import type { EvalQuestion } from './question-file.js';
import { scoreQuestion, type Target } from './score-question.js';

export interface AskOptions {
  readonly maxResults: number;
  /** Default: `query.minScore`. */
  readonly minScore: number | undefined;
  readonly signal: AbortSignal;
  readonly onSync?: ((event: SyncEvent) => void) | undefined;
  readonly onAnswer?: () => void;
}

/** A question with its answer. */
export interface AnsweredQuestion {
  readonly question: EvalQuestion;
  readonly targets: readonly Target[];
  readonly response: SearchResponse;
  readonly metrics: Metrics;
  readonly ms: number;
}

/** The answers of one memory to all questions. */
export interface Answers {
  readonly questions: readonly AnsweredQuestion[];
  /** The paths of all documents; those of other hosts also as citations have them. */
  readonly paths: ReadonlySet<string>;
  readonly files: FileReader;
  readonly warnings: readonly Warning[];
}

/**
 * Syncs a memory and searches it for the questions in turn.
 *
 * @throws SvcError the provider's error if some passages have no vectors, which would distort the results;
 *   the signal's reason
 */
export async function askMemory(
  memory: OpenedMemory,
  questions: readonly EvalQuestion[],
  { maxResults, minScore, signal, onSync, onAnswer }: AskOptions,
): Promise<Answers> {
  const { backend } = memory;
  // Answers without the vectors that another process is adding would distort the results, too.
  const embedWaitMs = Number.POSITIVE_INFINITY;
  const summary = await backend.sync({ signal, onEvent: onSync, embedWaitMs });
  signal.throwIfAborted();
  const failure = summary.embedding?.failure;
  if (failure !== undefined) {
    const code = isErrorCode(failure.code) ? failure.code : 'PROVIDER_UNREACHABLE';
    const message = `${memory.name}: some passages have no vectors: ${failure.message}`;
    throw new SvcError(code, message, { hint: failure.hint });
  }
  const { others } = memory.home;
  const documents = [...(await backend.list({ signal })), ...((await others?.documents()) ?? [])];
  const paths = new Set(documents.flatMap((one) => [one.path, documentName(one)]));
  const files = fileReader(backend);
  const answered: AnsweredQuestion[] = [];
  for (const question of questions) {
    const targets = await targetsOf(question, { paths, files, others });
    const { filters } = question;
    const request = { query: question.question, maxResults, minScore, filters };
    // Warm up: the first search opens the index and loads code.
    if (answered.length === 0) await backend.search({ ...request, lexicalOnly: true }, { signal });
    const started = performance.now();
    const response = await backend.search(request, { signal });
    const ms = performance.now() - started;
    signal.throwIfAborted();
    const metrics = scoreQuestion(response.results, targets, maxResults);
    answered.push({ question, targets, response, metrics, ms });
    onAnswer?.();
  }
  const warnings = [...memory.warnings, ...embeddingWarnings(summary)];
  return { questions: answered, paths, files, warnings };
}

/** How the questions were searched; `hybrid` if any was. */
export function modeOf(
  answered: readonly AnsweredQuestion[],
): Pick<EvalVariant, 'corrected' | 'fellBack' | 'mode' | 'model' | 'provider'> {
  const embedded = answered.find(({ response }) => response.provider !== null)?.response;
  const { mode = 'lexical', provider = null, model = null } = embedded ?? {};
  const fellBack = answered.filter(({ response }) =>
    response.warnings.some(({ code }) => code === 'PROVIDER_UNAVAILABLE'),
  ).length;
  const corrected = answered.filter(({ response }) => response.corrections.length > 0).length;
  return { mode, provider, model, fellBack, corrected };
}

/** How the results were reranked, and what it cost; null without a reranker. */
export function rerankOf(answered: readonly AnsweredQuestion[]): EvalVariant['rerank'] {
  const reports = answered.flatMap(({ response }) => response.rerank ?? []);
  const failures = answered.flatMap(({ response }) =>
    response.warnings.filter(({ code }) => code.startsWith('RERANK_')),
  );
  const [first] = reports;
  if (first === undefined && failures.length === 0) return null;
  const sum = (counts: readonly (number | undefined)[]): number =>
    counts.reduce<number>((total, count) => total + (count ?? 0), 0);
  return {
    name: [first?.provider, first?.model].filter((part) => part != null).join('/'),
    questions: reports.length,
    failed: failures.length,
    tokens: sum(reports.map(({ tokens }) => tokens)),
    searchUnits: sum(reports.map(({ searchUnits }) => searchUnits)),
  };
}

async function targetsOf(
  { expect }: EvalQuestion,
  { paths, files, others }: Pick<Answers, 'files' | 'paths'> & Pick<IndexHome, 'others'>,
): Promise<readonly Target[]> {
  const targets: Target[] = [];
  for (const expected of expect) {
    if (expected.kind === 'text') {
      targets.push(expected);
      continue;
    }
    const named = { ...expected, path: ownTarget(expected.path, others) };
    if (named.kind === 'file' || !paths.has(named.path)) {
      targets.push(named);
      continue;
    }
    const lines = await files(named.path);
    const { startLine, endLine } = named;
    const count = endLine - startLine + 1;
    const lineTexts = Array.from({ length: count }, (_, at) => lines?.get(startLine + at) ?? '');
    targets.push({ ...named, lineTexts });
  }
  return targets;
}

/** More than any note has; the backend limits each answer. */
const ALL_LINES = 1_000_000;

/** Lines of a file by number; of a transcript, only lines with text. Null if the file cannot be read. */
export type FileLines = ReadonlyMap<number, string> | null;

/** Reads the lines of a file. */
export type FileReader = (path: string) => Promise<FileLines>;

/** Reads files that a memory backend has listed, each once. */
export function fileReader(backend: MemoryBackend): FileReader {
  const known = new Map<string, FileLines>();
  return async (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const lines = await linesIn(backend, path);
    known.set(path, lines);
    return lines;
  };
}

async function linesIn(backend: MemoryBackend, path: string): Promise<FileLines> {
  const lines = new Map<number, string>();
  try {
    for (let from = 1; ; ) {
      const request = { target: path, from, lines: ALL_LINES };
      // Looking for changed files takes a moment, and there may be thousands to read.
      const response = await backend.get(request, { checksFiles: false });
      for (const [line, text] of numberedLines(response)) lines.set(line, text);
      if (response.endLine >= response.totalLines) return lines;
      from = response.endLine + 1;
    }
  } catch (error) {
    if (error instanceof SvcError) return null;
    throw error;
  }
}

function numberedLines({
  turns,
  text,
  startLine,
}: GetResponse): readonly (readonly [number, string])[] {
  if (turns !== undefined) return turns.map((turn) => [turn.line, turn.text]);
  return text.split('\n').map((line, at) => [startLine + at, line]);
}
