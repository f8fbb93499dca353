import type { Diagnosis } from '../engine/embeddings/index.js';
import { SvcError } from '../engine/errors/index.js';
import type { SecretMask } from '../engine/masking/index.js';
import type { EngineContext } from '../engine/support/context.js';
import { renderDiagnosis } from '../ui/provider/check-lines.js';
import type { ProviderScreenOptions } from '../ui/screens/provider/run.js';
import { createStyle } from '../ui/style.js';
import { editorOf, openInEditor } from './open-editor.js';
import { screenOptions, type TerminalSupport } from './terminal.js';

/** Runs the checks once. */
export type Diagnose = ProviderScreenOptions['start'];

/** Options of {@link shownDiagnosis}. */
export interface ShownDiagnosisOptions {
  /** For example `provider path of agent main`. */
  readonly title: string;
  readonly context: EngineContext;
  readonly terminal: TerminalSupport;
  /** Whether to show the interactive screen on a terminal. */
  readonly screen: boolean;
  readonly signal: AbortSignal;
  /** Applied before lines are cut: half a secret would not be recognized. */
  readonly mask: SecretMask;
  /** Writes to stdout, except in JSON mode. */
  readonly write: (text: string) => void;
}

/**
 * Shows a diagnosis: on a terminal, live until the user leaves; then, in
 * any case, as text.
 *
 * @throws SvcError INTERRUPTED if the user left before it was complete
 */
export async function shownDiagnosis(
  diagnose: Diagnose,
  { title, context, terminal, screen, signal, mask, write }: ShownDiagnosisOptions,
): Promise<Diagnosis> {
  const start: Diagnose = async (given, onEvent) =>
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
  const end = await runProviderScreen({
    ...screenOptions(terminal),
    title,
    start,
    edit: editorOf(context.env) === undefined ? undefined : (place) => openInEditor(place, context),
    signal,
  });
  if (end.diagnosis !== undefined) show(end.diagnosis);
  if (end.edit !== undefined) await openInEditor(end.edit, context);
  if (end.diagnosis === undefined) throw new SvcError('INTERRUPTED', 'stopped');
  return end.diagnosis;
}
