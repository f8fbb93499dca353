import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type DreamTarget,
  type EvaluationOutput,
  openSources,
  type RecallEntry,
  type SweepPreview,
} from '../../engine/dreaming/index.js';
import { askMemory, meanMetrics } from '../../engine/eval/index.js';
import type { MemoryStore } from '../../engine/memory/forget/index.js';
import { openMemory } from '../../engine/memory/index.js';
import { resolveWorkspace, scanMemoryFiles } from '../../engine/memory/sources/index.js';
import { isProcessLockHeld, withProcessLock } from '../../engine/sqlite/process-lock.js';
import { anySignal, letOthersRun } from '../../engine/support/async.js';
import {
  type EngineContext,
  resolveStatePaths,
  type StatePaths,
} from '../../engine/support/context.js';
import { makeFolders } from '../../engine/support/files.js';
import { shortHash } from '../../engine/support/text.js';
import { endOnSignals } from '../foreground.js';

/** More say little more, and a dry run should be quick. */
const MOST_QUESTIONS = 50;
const MAX_RESULTS = 10;
/** For copying, indexing twice and all searches. */
const MOST_EVALUATION_MS = 10_000;

interface EvaluationOptions {
  readonly context: EngineContext;
  readonly signal: AbortSignal;
  readonly timeLimitMs?: number | undefined;
}

/**
 * Searches a temporary copy of the notes for recalled claims, without and with the changes that a dry run planned.
 * Keyword search only, so that nothing is sent or paid for. The text of past searches is not stored, so the
 * questions are the concepts of the claims.
 *
 * @returns undefined if nothing would change, or nothing was recalled from notes
 * @throws the signal's reason
 */
export async function evaluatePreview(
  target: DreamTarget,
  { files, recalled }: SweepPreview,
  { context, signal, timeLimitMs = MOST_EVALUATION_MS }: EvaluationOptions,
): Promise<EvaluationOutput | undefined> {
  const questions = questionsOf(recalled);
  if (files.length === 0 || questions.length === 0) return undefined;
  const timeLimit = AbortSignal.timeout(timeLimitMs);
  const ended = new AbortController();
  const bounded = anySignal([signal, timeLimit, ended.signal]);
  const folder = previewFolder(context.state);
  const evaluate = async () => {
    // A killed dry run left its copy here.
    rmSync(folder, { recursive: true, force: true });
    try {
      const bounds = { context, signal: bounded };
      return {
        questions: questions.length,
        ...(await compare({ target, files, questions, folder }, bounds)),
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  try {
    return await endOnSignals(
      () => ended.abort(),
      () => withProcessLock(lockOf(folder), { signal: bounded }, evaluate),
    );
  } catch (error) {
    signal.throwIfAborted();
    if (!timeLimit.aborted) throw error;
    return { questions: questions.length, before: null, after: null };
  }
}

function previewFolder({ cacheDir }: StatePaths): string {
  return join(cacheDir, 'dreaming', 'preview');
}

function lockOf(folder: string): string {
  return `${folder}.lock`;
}

/** The copy of the notes that a killed dry run left; undefined if there is none. A running one removes its own. */
export function previewStore(state: StatePaths): MemoryStore | undefined {
  const folder = previewFolder(state);
  if (!existsSync(folder) || isProcessLockHeld(lockOf(folder))) return undefined;
  return {
    follow: async () => {
      rmSync(folder, { recursive: true, force: true });
      return { store: 'copy of a dry run', changed: 1, clean: true };
    },
  };
}

interface Comparison extends Pick<SweepPreview, 'files'> {
  readonly target: DreamTarget;
  readonly questions: ReturnType<typeof questionsOf>;
  /** Where the copy is made. */
  readonly folder: string;
}

async function compare(
  { target, files, questions, folder }: Comparison,
  { context, signal }: Omit<EvaluationOptions, 'timeLimitMs'>,
): Promise<Pick<EvaluationOutput, 'after' | 'before'>> {
  const dir = join(folder, 'notes');
  makeFolders(dir);
  await copyNotes(target, dir, signal);
  const state = resolveStatePaths({ SVC_HOME: join(folder, 'state') }, folder);
  const memory = await openMemory(
    { ...context, state, onRecall: undefined, onLookup: undefined },
    { kind: 'workspace', dir },
    { trial: { settings: { provider: 'none' }, indexKey: undefined } },
  );
  const ask = async () => {
    const { questions: answered } = await askMemory(memory, questions, {
      maxResults: MAX_RESULTS,
      minScore: undefined,
      signal,
    });
    const { mrr, hit5 } = meanMetrics(answered.map(({ metrics }) => metrics));
    return { mrr, hit5 };
  };
  try {
    const before = await ask();
    for (const { path, text } of files) writeNote(dir, path, text);
    return { before, after: await ask() };
  } finally {
    await memory.backend.close();
  }
}

/** Whether searches would find less. */
export function isWorse({ before, after }: EvaluationOutput): boolean {
  if (before === null || after === null) return false;
  return after.mrr < before.mrr || after.hit5 < before.hit5;
}

/** Questions for the notes' claims that were recalled most. */
function questionsOf(recalled: readonly RecallEntry[]) {
  return recalled
    .filter(({ source, tags }) => source === 'memory' && tags.length > 0)
    .sort((a, b) => b.recallCount - a.recallCount || (a.key < b.key ? -1 : 1))
    .slice(0, MOST_QUESTIONS)
    .map(({ text, tags }) => ({
      id: shortHash(text),
      question: tags.join(' '),
      expect: [{ kind: 'text', text } as const],
      tags: [],
    }));
}

/** Copies what the agents' memories read, without forgotten text. */
async function copyNotes(
  { workspace, agentSources }: DreamTarget,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  const workspaceDir = resolveWorkspace(workspace.dir);
  const sources = await openSources({ workspace, agentSources });
  const { exclude } = agentSources;
  const scan = scanMemoryFiles({ workspaceDir, layout: 'agent', extraPaths: [], exclude });
  for (const { path, source } of scan.files) {
    // Lets the time limit pass.
    await letOthersRun();
    signal.throwIfAborted();
    const text = sources.read({ source, path, startLine: 1, endLine: 1 })?.lines.join('\n');
    if (text !== undefined) writeNote(to, path, text);
  }
}

function writeNote(dir: string, path: string, text: string): void {
  const file = join(dir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
