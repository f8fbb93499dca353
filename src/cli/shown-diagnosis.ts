import type { EngineContext } from '../engine/context.js';
import type { Diagnosis, DiagnosisEvent } from '../engine/embeddings/diagnosis/index.js';
import { SvcError } from '../engine/errors/index.js';
import type { SecretMask } from '../engine/secrets/mask/secret-mask.js';
import { renderDiagnosis } from '../ui/provider/diagnosis.js';
import { createStyle } from '../ui/style.js';
import { openInEditor } from './open-editor.js';
import type { TerminalSupport } from './terminal.js';

/** How a diagnosis is shown. */
export interface ShownDiagnosisOptions {
  /** As `provider path of agent main`. */
  readonly title: string;
  readonly context: EngineContext;
  readonly terminal: TerminalSupport;
  /** Whether the person may stay and look again: one diagnosis, on a terminal. */
  readonly screen: boolean;
  readonly signal: AbortSignal;
  /** Before lines are cut and wrapped: half a secret is no longer known for one. */
  readonly mask: SecretMask;
  /** Writes to stdout; nothing in JSON mode. */
  readonly write: (text: string) => void;
}

/**
 * Shows a diagnosis: live on a terminal, where it stays until the person leaves, and then as lines in
 * any case.
 *
 * @throws SvcError INTERRUPTED when the person left before there was anything to tell
 */
export async function shownDiagnosis(
  diagnose: (signal: AbortSignal, onEvent: (event: DiagnosisEvent) => void) => Promise<Diagnosis>,
  { title, context, terminal, screen, signal, mask, write }: ShownDiagnosisOptions,
): Promise<Diagnosis> {
  const start: typeof diagnose = async (given, onEvent) =>
    mask.data(await diagnose(given, (event) => onEvent(mask.data(event))));
  const style = createStyle(terminal.color);
  const columns = process.stdout.isTTY ? terminal.columns : undefined;
  const show = (diagnosis: Diagnosis): void =>
    write(renderDiagnosis(diagnosis, title, { style, columns }));
  if (!screen || !terminal.screen) {
    const diagnosis = await start(signal, () => undefined);
    show(diagnosis);
    return diagnosis;
  }
  const { runProviderScreen } = await import('../ui/screens/provider/run.js');
  const { stdin, stdout } = process;
  const end = await runProviderScreen({ stdin, stdout, style, title, start, signal });
  if (end.diagnosis !== undefined) show(end.diagnosis);
  if (end.edit !== undefined) await openInEditor(end.edit, context);
  if (end.diagnosis === undefined) throw new SvcError('INTERRUPTED', 'stopped');
  return end.diagnosis;
}
