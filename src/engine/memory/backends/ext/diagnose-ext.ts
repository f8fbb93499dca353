import type {
  CheckName,
  CheckOutcome,
  Diagnosis,
  DiagnosisWork,
} from '../../../embeddings/index.js';
import { formatCountOf } from '../../../support/format.js';
import type { ExtSettings } from './ext-settings.js';
import { readExtState, updateExtState } from './ext-state.js';
import { listCollections } from './tell-collections.js';
import { askProgram, detectFeatures, type ToolFeatures } from './tool/ask-program.js';
import { type Tool, ToolFailure } from './tool/open-tool.js';
import { runTool } from './tool/run-tool.js';

export interface ExtDiagnosisSubject {
  readonly settings: ExtSettings;
  /** @throws ToolFailure */
  readonly openTool: () => Tool;
}

/** A word that most notes contain; whether it is found does not matter. */
const QUESTION = 'notes';

/**
 * Tests the external program step by step. Lexical mode checks nothing about vectors (spec/memory-search
 * §2.12, rule 1).
 *
 * @throws the signal's reason; failures of the program are part of the result
 */
export async function diagnoseExt(
  subject: ExtDiagnosisSubject,
  { signal, onEvent }: DiagnosisWork,
): Promise<Diagnosis> {
  const { settings } = subject;
  const checks: (CheckOutcome & { readonly check: CheckName })[] = [];
  let isBroken = false;
  const check = async <T>(
    name: CheckName,
    text: string,
    look: () => Promise<readonly [CheckOutcome, T]>,
  ): Promise<T | undefined> => {
    onEvent({ type: 'check.started', check: name });
    const [outcome, found] = isBroken
      ? [{ state: 'off', text, note: 'not tried' } as const, undefined]
      : await look().catch((error: unknown) => [failure(text, error), undefined] as const);
    signal.throwIfAborted();
    isBroken ||= outcome.state === 'failed';
    checks.push({ check: name, ...outcome });
    onEvent({ type: 'check.finished', check: name, outcome });
    return found;
  };
  const tool = await check('program', settings.command, async () => findTool(subject));
  const features = await check('release', 'version and help', () =>
    askFeatures(settings, tool, signal),
  );
  await check('collections', 'collections', () => lookAtCollections(settings, tool, signal));
  await check('question', settings.mode, () => askQuestion(settings, tool, features, signal));
  await check('vectors', settings.mode, async () => [lookAtVectors(settings), undefined]);
  const diagnosis: Diagnosis = {
    scope: 'ext',
    ok: !isBroken,
    usable: isBroken ? null : 'primary',
    provider: settings.command,
    adapter: null,
    checks,
  };
  onEvent({ type: 'diagnosis.finished', diagnosis });
  return diagnosis;
}

function failure(text: string, error: unknown): CheckOutcome {
  if (!(error instanceof ToolFailure)) throw error;
  return { state: 'failed', text, code: error.code, cause: error.message, hint: error.hint };
}

function findTool({ openTool }: ExtDiagnosisSubject): readonly [CheckOutcome, Tool] {
  const tool = openTool();
  return [{ state: 'ok', text: tool.program }, tool];
}

async function askFeatures(
  { dir, update }: ExtSettings,
  tool: Tool | undefined,
  signal: AbortSignal,
): Promise<readonly [CheckOutcome, ToolFeatures | undefined]> {
  if (tool === undefined) return NOT_TRIED;
  const started = performance.now();
  const features = await detectFeatures(tool, { timeoutMs: update.commandTimeoutMs, signal });
  updateExtState(dir, (state) => ({ ...state, detected: { key: tool.key, features } }));
  const latencyMs = Math.round(performance.now() - started);
  const searches = features.manyCollections
    ? 'several collections per search'
    : 'one collection per search';
  const note = `${features.patternFlag}, ${searches}`;
  return [{ state: 'ok', text: features.release ?? 'release unknown', note, latencyMs }, features];
}

async function lookAtCollections(
  settings: ExtSettings,
  tool: Tool | undefined,
  signal: AbortSignal,
): Promise<readonly [CheckOutcome, undefined]> {
  if (tool === undefined) return NOT_TRIED;
  const run = (args: readonly string[], timeoutMs: number) =>
    runTool(tool, args, { timeoutMs, signal });
  const listed = await listCollections(run, settings);
  const wanted = settings.collections();
  const known = wanted.filter(({ name }) => listed.some((one) => one.name === name));
  const files = listed
    .filter(({ name }) => wanted.some((one) => one.name === name))
    .reduce((sum, one) => sum + (one.files ?? 0), 0);
  const text = `${known.length} of ${wanted.length}, ${files} files`;
  if (known.length === wanted.length) return [{ state: 'ok', text }, undefined];
  const missing = wanted
    .filter((one) => !known.includes(one))
    .map(({ name, root }) => `${name} (${root})`);
  const cause = `not indexed yet: ${missing.join(', ')}`;
  const hint = 'run "svc memory index"; missing folders are skipped';
  return [{ state: 'warning', text, cause, hint }, undefined];
}

async function askQuestion(
  settings: ExtSettings,
  tool: Tool | undefined,
  features: ToolFeatures | undefined,
  signal: AbortSignal,
): Promise<readonly [CheckOutcome, undefined]> {
  const { collections } = readExtState(settings.dir);
  const { mode, limits } = settings;
  if (tool === undefined || features === undefined) return NOT_TRIED;
  if (collections.length === 0) {
    return [
      { state: 'off', text: mode, note: 'nothing is indexed yet', hint: 'svc memory index' },
      undefined,
    ];
  }
  const started = performance.now();
  const question = {
    mode,
    query: QUESTION,
    collections: collections.map(({ name }) => name),
    limit: 1,
  };
  const { withoutVectors } = await askProgram(tool, features, question, {
    timeoutMs: limits.timeoutMs,
    signal,
  });
  const latencyMs = Math.round(performance.now() - started);
  if (withoutVectors === undefined || mode === 'search') {
    return [{ state: 'ok', text: mode, latencyMs }, undefined];
  }
  const cause = `${formatCountOf(withoutVectors, 'document')} without vectors`;
  return [{ state: 'warning', text: mode, latencyMs, cause, hint: 'svc memory index' }, undefined];
}

function lookAtVectors({ mode, dir }: ExtSettings): CheckOutcome {
  if (mode === 'search') return { state: 'off', text: 'none', note: 'searchMode is "search"' };
  const { updated, embedded } = readExtState(dir);
  const missing = updated?.withoutVectors;
  if (missing === 0) return { state: 'ok', text: 'complete' };
  const hint = 'run "svc memory index" to embed them';
  if (embedded !== undefined && embedded.failures > 0) {
    const cause = `embedding failed ${formatCountOf(embedded.failures, 'time')} in a row`;
    return { state: 'warning', text: `${missing ?? 'some'} missing`, cause, hint };
  }
  return {
    state: 'warning',
    text: `${missing ?? 'some'} missing`,
    cause: 'not embedded yet',
    hint,
  };
}

const NOT_TRIED = [{ state: 'off', text: 'not tried' }, undefined] as const;
