import type {
  CheckName,
  CheckOutcome,
  Diagnosis,
  DiagnosisWork,
} from '../../../embeddings/index.js';
import { formatCountOf } from '../../../support/format.js';
import type { ExtSettings } from './ext-settings.js';
import { knownFeatures, readExtState, updateExtState } from './ext-state.js';
import { countFiles, listCollections } from './register-collections.js';
import { askProgram, detectFeatures } from './tool/ask-program.js';
import { type Tool, ToolFailure } from './tool/open-tool.js';
import { runTool, TEST_STEPS } from './tool/run-tool.js';

/** A word that most notes contain; whether it is found does not matter. */
const QUESTION = 'notes';
const RUN_IT_YOURSELF =
  'run the program yourself to see why, or set memory.backend to "builtin" to do without it';

/**
 * Tests the external program step by step. Lexical mode checks nothing about vectors (spec/memory-search
 * §2.12, rule 1).
 *
 * @param openTool throws ToolFailure
 * @throws the signal's reason; failures of the program are part of the result
 */
export async function diagnoseExt(
  settings: ExtSettings,
  openTool: () => Tool,
  { signal, onEvent }: DiagnosisWork,
): Promise<Diagnosis> {
  const { mode } = settings;
  const checks: (CheckOutcome & { readonly check: CheckName })[] = [];
  let isBroken = false;
  const steps: readonly (readonly [CheckName, text: string, run: () => Promise<CheckOutcome>])[] = [
    ['program', settings.command, async () => ({ state: 'ok', text: openTool().program })],
    ['release', 'version and help', async () => checkRelease(settings, openTool(), signal)],
    ['collections', 'collections', async () => checkCollections(settings, openTool(), signal)],
    ['question', mode, async () => checkQuestion(settings, openTool(), signal)],
    ['vectors', mode, async () => checkVectors(settings)],
  ];
  for (const [check, text, run] of steps) {
    onEvent({ type: 'check.started', check });
    const outcome: CheckOutcome = isBroken
      ? { state: 'off', text, note: 'not tried' }
      : await run().catch((error: unknown) => failure(text, error));
    signal.throwIfAborted();
    isBroken ||= outcome.state === 'failed';
    checks.push({ check, ...outcome });
    onEvent({ type: 'check.finished', check, outcome });
  }
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
  // This is that test.
  const hint = error.hint === TEST_STEPS ? RUN_IT_YOURSELF : error.hint;
  return { state: 'failed', text, code: error.code, cause: error.message, hint };
}

async function checkRelease(
  { dir, update }: ExtSettings,
  tool: Tool,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const started = performance.now();
  const features = await detectFeatures(tool, { timeoutMs: update.commandTimeoutMs, signal });
  updateExtState(dir, (state) => ({ ...state, detected: { key: tool.key, features } }));
  const latencyMs = Math.round(performance.now() - started);
  const searches = features.manyCollections
    ? 'several collections per search'
    : 'one collection per search';
  const note = `${features.patternFlag}, ${searches}`;
  return { state: 'ok', text: features.release ?? 'release unknown', note, latencyMs };
}

async function checkCollections(
  settings: ExtSettings,
  tool: Tool,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const run = (args: readonly string[], timeoutMs: number) =>
    runTool(tool, args, { timeoutMs, signal });
  const listed = await listCollections(run, settings);
  const wanted = settings.collections();
  const known = wanted.filter(({ name }) => listed.some((one) => one.name === name));
  const text = `${known.length} of ${wanted.length}, ${formatCountOf(countFiles(listed, wanted), 'file')}`;
  if (known.length === wanted.length) return { state: 'ok', text };
  const missing = wanted
    .filter((one) => !known.includes(one))
    .map(({ name, root }) => `${name} (${root})`);
  const cause = `not indexed yet: ${missing.join(', ')}`;
  const hint = 'run "svc memory index"; missing folders are skipped';
  return { state: 'warning', text, cause, hint };
}

async function checkQuestion(
  settings: ExtSettings,
  tool: Tool,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const { collections, updated } = readExtState(settings.dir);
  const { mode, limits } = settings;
  if (collections.length === 0) {
    return {
      state: 'off',
      text: mode,
      note: 'nothing is indexed yet',
      hint: 'run "svc memory index"',
    };
  }
  const run = { timeoutMs: limits.timeoutMs, signal };
  // Detected by the check of the release.
  const features = await knownFeatures(tool, settings, run);
  const started = performance.now();
  const question = {
    mode,
    query: QUESTION,
    collections: collections.map(({ name }) => name),
    limit: 1,
  };
  const hits = await askProgram(tool, features, question, run);
  const latencyMs = Math.round(performance.now() - started);
  const withoutVectors = updated?.withoutVectors ?? 0;
  if (withoutVectors === 0 || mode === 'search') return { state: 'ok', text: mode, latencyMs };
  const cause = `${formatCountOf(withoutVectors, 'document')} without vectors`;
  const outcome = { text: mode, latencyMs, cause, hint: 'run "svc memory index"' };
  // As in searches: the built-in engine answers then.
  const isInconclusive = mode === 'vsearch' && hits.length === 0;
  return isInconclusive
    ? { state: 'failed', ...outcome, code: 'EMBEDDINGS_PENDING' }
    : { state: 'warning', ...outcome };
}

function checkVectors({ mode, dir }: ExtSettings): CheckOutcome {
  if (mode === 'search') return { state: 'off', text: 'none', note: 'searchMode is "search"' };
  const { updated, embedded } = readExtState(dir);
  const missing = updated?.withoutVectors;
  if (missing === 0) return { state: 'ok', text: 'complete' };
  const failures = embedded?.failures ?? 0;
  return {
    state: 'warning',
    text: `${missing ?? 'some'} missing`,
    cause:
      failures > 0
        ? `embedding failed ${formatCountOf(failures, 'time')} in a row`
        : 'not embedded yet',
    hint: 'run "svc memory index" to embed them',
  };
}
