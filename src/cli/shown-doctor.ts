import type { EngineContext } from '../engine/context.js';
import { thisHost } from '../engine/doctor/host.js';
import { applyMend, type MendedReport, mendAll } from '../engine/doctor/mend-all.js';
import { DOCTOR_CHECKS } from '../engine/doctor/registry.js';
import { type RunDoctorOptions, reportOf, runDoctor } from '../engine/doctor/run-doctor.js';
import { SvcError } from '../engine/errors/index.js';
import { renderDoctor } from '../ui/doctor/report.js';
import { createStyle } from '../ui/style.js';
import { openInEditor } from './open-editor.js';
import type { TerminalSupport } from './terminal.js';

/** How the doctor is asked and shown. */
export interface ShownDoctorOptions {
  readonly context: EngineContext;
  /** The file named by `--config`. */
  readonly configFile: string | undefined;
  /** Whether to do the safe mends without asking. */
  readonly fix: boolean;
  readonly terminal: TerminalSupport;
  /** Whether the person may stay and mend. */
  readonly screen: boolean;
  readonly signal: AbortSignal;
  /** Writes to stdout; nothing in JSON mode. */
  readonly write: (text: string) => void;
}

/**
 * Looks at everything: live on a terminal, where the person chooses what to mend and when to leave,
 * and then as lines in any case. What is told last was looked at last.
 *
 * @throws SvcError INTERRUPTED when the person left before every check had ended once
 */
export async function shownDoctor(options: ShownDoctorOptions): Promise<MendedReport> {
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
  const show = (found: MendedReport): void => {
    const shown = { style, columns, homeDir: context.homeDir };
    write(renderDoctor(found.report, found.applied, shown));
  };
  if (fix || !options.screen || !terminal.screen) {
    const found = fix ? await mendAll(look) : { report: await runDoctor(look), applied: [] };
    show(found);
    return found;
  }
  const { runDoctorScreen } = await import('../ui/screens/doctor/run.js');
  const { stdin, stdout } = process;
  const end = await runDoctorScreen({
    stdin,
    stdout,
    style,
    homeDir: context.homeDir,
    names: DOCTOR_CHECKS.map(({ name }) => name),
    look: (names, own, onEvent) => {
      const checks = DOCTOR_CHECKS.filter(({ name }) => names.includes(name));
      return runDoctor({ ...look, checks, signal: own, onEvent });
    },
    apply: applyMend,
    signal,
  });
  const report = end.results === undefined ? undefined : reportOf(end.results);
  if (report !== undefined) show({ report, applied: end.applied });
  if (end.edit !== undefined) {
    const { file, line = 1, column = 1 } = end.edit;
    await openInEditor({ file, line, column }, context);
  }
  if (report === undefined) throw new SvcError('INTERRUPTED', 'stopped');
  return { report, applied: end.applied };
}
