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
import { NEVER } from '../engine/support/async.js';
import { renderDoctor } from '../ui/doctor/finding-lines.js';
import type { CommandContext } from './command-context.js';
import { editorOf, openInEditor } from './open-editor.js';
import { screenOptions } from './terminal.js';

/**
 * Runs all checks: on a terminal as a live screen where the user chooses what to fix, and then always as lines, with
 * the latest results.
 *
 * @param fix whether to apply safe fixes without asking
 * @throws SvcError INTERRUPTED if the user quit before every check had finished once
 */
export async function showDoctor(fix: boolean, command: CommandContext): Promise<FixedReport> {
  const { context, configFile, terminal, view, quiet, signal, write } = command;
  const base: RunDoctorOptions = {
    context,
    configFile,
    host: thisHost(),
    checks: DOCTOR_CHECKS,
    signal,
    hintFor: view.hintFor,
  };
  const show = ({ report, applied }: FixedReport): void => {
    write(renderDoctor(report, applied, view));
  };
  if (fix || quiet || !terminal.screen) {
    const found = fix ? await fixAll(base) : { report: await runDoctor(base), applied: [] };
    show(found);
    return found;
  }
  const edit = ({ file, line = 1, column = 1 }: FindingPlace): Promise<void> =>
    openInEditor({ file, line, column }, command);
  const { runDoctorScreen } = await import('../ui/screens/doctor/run.js');
  const end = await runDoctorScreen({
    ...screenOptions(terminal),
    homeDir: context.homeDir,
    names: DOCTOR_CHECKS.map(({ name }) => name),
    runChecks: (names, checkSignal, onEvent) => {
      const checks = DOCTOR_CHECKS.filter(({ name }) => names.includes(name));
      return runDoctor({ ...base, checks, signal: checkSignal, onEvent });
    },
    // A fix is short and must not be interrupted.
    apply: (check, fix) => applyFix(check, fix, NEVER),
    edit: editorOf(context.env) === undefined ? undefined : edit,
    signal,
  });
  const report = end.results === undefined ? undefined : reportOf(end.results);
  if (report !== undefined) show({ report, applied: end.applied });
  if (end.placeToEdit !== undefined) await edit(end.placeToEdit);
  if (report === undefined) throw new SvcError('INTERRUPTED', 'stopped');
  return { report, applied: end.applied };
}
