import { basename } from 'node:path';
import type { ChatChoice } from '../chat/index.js';
import { providerWorld } from '../embeddings/index.js';
import { SvcError, type Warning } from '../errors/index.js';
import type { MemoryBackend } from '../memory/backends/memory-backend.js';
import type { SearchResult } from '../memory/search/index.js';
import { searchedSources } from '../memory/sources/index.js';
import { withinTime } from '../support/async.js';
import { runningMs } from '../support/time.js';
import { condense, condensePrompt, type NamedModel } from './model.js';
import type { OpenLane, RecalledNotes, RecallQuestion, RecallResult } from './outcome.js';
import { STYLE_RULES, type StyleRules } from './prompt-style.js';
import { conversationText } from './query.js';
import { eligibleResults, selectNotes, sourceOf } from './select.js';
import { keepTranscript } from './transcripts.js';
import type { RecallTurn } from './turn.js';

/** One recall. */
export interface RecallWork {
  readonly turn: RecallTurn;
  readonly question: RecallQuestion;
  readonly lane: OpenLane;
  /** Whether something was forgotten meanwhile, so that nothing of the recall may be stored. */
  readonly isOutdated: () => boolean;
  readonly lexicalOnly: boolean;
  /** Undefined condenses without a model. */
  readonly model: NamedModel | undefined;
  readonly timeLimitMs: number;
}

/** Passages given to a model. Without one, two for each note, since a note may have several. */
const MODEL_RESULTS = 8;
const RESULTS_A_NOTE = 2;
/** A model gets more notes than a recall without one would use, and leaves out what does not help. */
const MODEL_RULES: StyleRules = { ...STYLE_RULES['recall-heavy'], maxNotes: 6 };
/** Time reserved for condensing without the model. */
const CONDENSE_MS = 50;

/** Searches memory and condenses the results to one short text, with the model if there is one. */
export async function searchAndCondense(
  backend: MemoryBackend,
  work: RecallWork,
  signal: AbortSignal,
): Promise<RecallResult> {
  const started = runningMs();
  const { question, lexicalOnly, model } = work;
  const rules = STYLE_RULES[question.promptStyle];
  const maxResults = model === undefined ? rules.maxNotes * RESULTS_A_NOTE : MODEL_RESULTS;
  const { results, mode, dates, warnings } = await backend.search(
    { query: question.query, maxResults, minScore: 0, lexicalOnly, pathGlob: othersOf(work) },
    { signal },
  );
  const notesFor = (style: StyleRules): readonly SearchResult[] =>
    eligibleResults(results, question.query, style, dates);
  const notes = notesFor(model?.choice === undefined ? rules : MODEL_RULES);
  if (notes.length === 0) return { status: 'empty', mode, warnings };
  const withoutModel = (
    status: 'ok' | 'timeout_partial',
    ...moreWarnings: readonly Warning[]
  ): RecallResult => {
    const recalled = condenseWithoutModel(notesFor(rules), rules, work);
    const all = [...warnings, ...moreWarnings];
    return recalled === undefined
      ? { status: 'empty', mode, warnings: all }
      : { status, recalled, mode, warnings: all };
  };
  if (model === undefined) return withoutModel('ok');
  const { choice } = model;
  if (choice === undefined) return withoutModel('ok', model.warning);
  const leftMs = work.timeLimitMs - (runningMs() - started) - CONDENSE_MS;
  try {
    const answer = await withinTime(leftMs, signal, (inTime) =>
      askModel(choice, notes, work, { timeoutMs: leftMs, signal: inTime }),
    );
    if (!answer.done) {
      const message = `model ${model.name} did not answer in time; using search results without it`;
      return withoutModel('timeout_partial', { code: 'RECALL_TIMED_OUT', message });
    }
    if (answer.value === '') return { status: 'empty', mode, warnings };
    const recalled = { summary: answer.value, sources: notes.map(sourceOf), model: model.name };
    return { status: 'ok', recalled, mode, warnings };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SvcError)) throw error;
    const { message, hint } = error;
    const status = error.code === 'PROVIDER_TIMEOUT' ? 'timeout_partial' : 'ok';
    return withoutModel(status, { code: 'RECALL_FAILED', message, hint });
  }
}

/** A pattern of all paths but that of the conversation itself, which the agent has in front of it. */
function othersOf({ turn: { transcriptFile }, lane: { facts } }: RecallWork): string | undefined {
  const isSearched = searchedSources(facts.resolvedAgent, 'agent').includes('sessions');
  if (transcriptFile === undefined || !isSearched) return undefined;
  const name = basename(transcriptFile);
  // Agents name these files by ID; other names could have signs of patterns.
  return /^[\w.-]+$/u.test(name) ? `!${name}` : undefined;
}

function condenseWithoutModel(
  notes: readonly SearchResult[],
  rules: StyleRules,
  { lane: { facts } }: RecallWork,
): RecalledNotes | undefined {
  const cites = facts.resolvedAgent.citations !== 'off';
  const maxChars = facts.settings.config.maxSummaryChars;
  const selection = selectNotes(notes, { rules, maxChars, cites });
  return selection.summary === '' ? undefined : { ...selection, model: null };
}

async function askModel(
  choice: ChatChoice,
  notes: readonly SearchResult[],
  { turn, lane, isOutdated }: RecallWork,
  limits: Parameters<typeof condense>[3],
): Promise<string> {
  const { openChatModel } = await import('../chat/index.js');
  const { loaded, context, facts } = lane;
  const { config } = facts.settings;
  const chat = await openChatModel(choice, providerWorld(loaded, context), limits.signal);
  const { createSecretMask } = await import('../masking/index.js');
  const mask = createSecretMask();
  const prompt = mask.data(condensePrompt(conversationText(turn, config), notes, config));
  const summary = await condense(chat, prompt, config, limits);
  if (config.persistTranscripts && !isOutdated()) {
    keepTranscript(context, facts.agent.id, config.transcriptDir, { prompt, summary });
  }
  return summary;
}
