import {
  applyFix,
  DOCTOR_CHECKS,
  type FindingPlace,
  type FixedReport,
  fixAll,
  type RunDoctorOptions,
  reportOf,
  runDoctor,
  thisHost,
} from '../engine/doctor/index.js';
import { SvcError } from '../engine/errors/index.js';
import type { EngineContext } from '../engine/support/context.js';
import { renderDoctor } from '../ui/doctor/finding-lines.js';
import { createStyle } from '../ui/style.js';
import { editorOf, openInEditor } from './open-editor.js';
import { screenOptions, type TerminalSupport } from './terminal.js';

/** How the doctor runs and is shown. */
export interface ShownDoctorOptions {
  readonly context: EngineContext;
  /** The file named by `--config`. */
  readonly configFile: string | undefined;
  /** Whether to apply safe fixes without asking. */
  readonly fix: boolean;
  readonly terminal: TerminalSupport;
  /** Whether a screen may be shown. */
  readonly screen: boolean;
  readonly signal: AbortSignal;
  /** Writes to stdout; nothing in JSON mode. */
  readonly write: (text: string) => void;
}

/**
 * Runs all checks: on a terminal as a live screen where the user chooses what to fix, and then always as lines, with
 * the latest results.
 *
 * @throws SvcError INTERRUPTED if the user quit before every check had finished once
 */
export async function shownDoctor(options: ShownDoctorOptions): Promise<FixedReport> {
  const { context, configFile, fix, terminal, signal, write } = options;
  const style = createStyle(terminal.color);
  const columns = process.stdout.isTTY ? terminal.columns : undefined;
  const look: RunDoctorOptions = {
    context,
    configFile,
    host: thisHost(),
    checks: DOCTOR_CHECKS,
    signal,
  };
  const show = (found: FixedReport): void => {
    const shown = { style, columns, homeDir: context.homeDir };
    write(renderDoctor(found.report, found.applied, shown));
  };
  if (fix || !options.screen || !terminal.screen) {
    const found = fix ? await fixAll(look) : { report: await runDoctor(look), applied: [] };
    show(found);
    return found;
  }
  const edit = ({ file, line = 1, column = 1 }: FindingPlace): Promise<void> =>
    openInEditor({ file, line, column }, context);
  const { runDoctorScreen } = await import('../ui/screens/doctor/run.js');
  const end = await runDoctorScreen({
    ...screenOptions(terminal),
    homeDir: context.homeDir,
    names: DOCTOR_CHECKS.map(({ name }) => name),
    look: (names, own, onEvent) => {
      const checks = DOCTOR_CHECKS.filter(({ name }) => names.includes(name));
      return runDoctor({ ...look, checks, signal: own, onEvent });
    },
    apply: applyFix,
    edit: editorOf(context.env) === undefined ? undefined : edit,
    signal,
  });
  const report = end.results === undefined ? undefined : reportOf(end.results);
  if (report !== undefined) show({ report, applied: end.applied });
  if (end.edit !== undefined) await edit(end.edit);
  if (report === undefined) throw new SvcError('INTERRUPTED', 'stopped');
  return { report, applied: end.applied };
}
