import { ERROR_CODES, type ErrorCode, SvcError, type Warning } from '../errors/index.js';
import { embeddingWarnings } from '../memory/embedding/embedding-warnings.js';
import type { OpenedMemory } from '../memory/open-memory.js';
import type { SearchMode, SearchResponse } from '../memory/search/types.js';
import type { SyncEvent } from '../memory/sync/events.js';
import type { Figures } from './figures.js';
import { FileReader } from './file-lines.js';
import type { EvalQuestion } from './question-file.js';
import { scoreQuestion, type Target } from './score-question.js';

/** How every question is asked. */
export interface AskOptions {
  readonly maxResults: number;
  /** `query.minScore` when undefined. */
  readonly minScore: number | undefined;
  readonly signal: AbortSignal;
  readonly onSync: (event: SyncEvent) => void;
  /** Told after each question. */
  readonly onAsked: () => void;
}

/** A question with its answer. */
export interface AskedQuestion {
  readonly question: EvalQuestion;
  readonly targets: readonly Target[];
  readonly response: SearchResponse;
  readonly figures: Figures;
  /** From the question to its results, as an agent would wait for them. */
  readonly ms: number;
}

/** All that was asked of one memory. */
export interface AskedMemory {
  readonly asked: readonly AskedQuestion[];
  /** What memory covers, by path. */
  readonly paths: ReadonlySet<string>;
  readonly files: FileReader;
  readonly warnings: readonly Warning[];
}

/**
 * Brings a memory up to date and asks it questions, one after another.
 *
 * @throws SvcError the provider's error when not all passages get vectors: half of them would be
 *   measured as if it were all; the signal's reason
 */
export async function askMemory(
  memory: OpenedMemory,
  questions: readonly EvalQuestion[],
  { maxResults, minScore, signal, onSync, onAsked }: AskOptions,
): Promise<AskedMemory> {
  const { backend } = memory;
  const summary = await backend.sync({ signal, onEvent: onSync });
  signal.throwIfAborted();
  const failure = summary.embedding?.failure;
  if (failure !== undefined) throw notEmbedded(memory.name, failure);
  const paths = new Set((await backend.list({ signal })).map(({ path }) => path));
  const files = new FileReader(backend);
  const asked: AskedQuestion[] = [];
  for (const question of questions) {
    const targets = await withLines(question, paths, files);
    const request = { query: question.question, maxResults, minScore };
    // The first one opens the index and loads code, which no later one waits for.
    if (asked.length === 0) await backend.search({ ...request, lexicalOnly: true }, { signal });
    const started = performance.now();
    const response = await backend.search(request, { signal });
    const ms = performance.now() - started;
    signal.throwIfAborted();
    asked.push({
      question,
      targets,
      response,
      figures: scoreQuestion(response.results, targets, maxResults),
      ms,
    });
    onAsked();
  }
  const warnings = [...memory.warnings, ...embeddingWarnings(summary)];
  return { asked, paths, files, warnings };
}

/** How a run of questions was searched; `hybrid` where any was. */
export function modeOf(asked: readonly AskedQuestion[]): {
  readonly mode: SearchMode;
  readonly provider: string | null;
  readonly model: string | null;
  /** How many questions were answered by words alone although there is a provider. */
  readonly fellBack: number;
} {
  const embedded = asked.find(({ response }) => response.provider !== null)?.response;
  const { mode = 'lexical', provider = null, model = null } = embedded ?? {};
  const fellBack = asked.filter(({ response }) =>
    response.warnings.some(({ code }) => code === 'PROVIDER_UNAVAILABLE'),
  ).length;
  return { mode, provider, model, fellBack };
}

async function withLines(
  { expect }: EvalQuestion,
  paths: ReadonlySet<string>,
  files: FileReader,
): Promise<readonly Target[]> {
  const targets: Target[] = [];
  for (const expected of expect) {
    if (expected.kind !== 'lines' || !paths.has(expected.path)) {
      targets.push(expected);
      continue;
    }
    const lines = await files.linesOf(expected.path);
    const { startLine, endLine } = expected;
    const count = endLine - startLine + 1;
    const lineTexts = Array.from({ length: count }, (_, at) => lines?.get(startLine + at) ?? '');
    targets.push({ ...expected, lineTexts });
  }
  return targets;
}

function notEmbedded(
  name: string,
  failure: { readonly code: string; readonly message: string; readonly hint?: string },
): SvcError {
  return new SvcError(
    isErrorCode(failure.code) ? failure.code : 'PROVIDER_UNREACHABLE',
    `${name}: not all passages have vectors, so there is nothing to measure: ${failure.message}`,
    failure.hint === undefined ? {} : { hint: failure.hint },
  );
}

function isErrorCode(code: string): code is ErrorCode {
  return code in ERROR_CODES;
}
