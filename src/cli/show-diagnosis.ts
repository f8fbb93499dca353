import type { Diagnosis } from '../engine/embeddings/index.js';
import { SvcError } from '../engine/errors/index.js';
import { diagnoseMemory } from '../engine/memory/diagnose-memory.js';
import type { OpenedMemory } from '../engine/memory/index.js';
import { renderDiagnosis } from '../ui/provider/check-lines.js';
import type { ProviderScreenOptions } from '../ui/screens/provider/run.js';
import { type CommandContext, withShownHint, withShownHints } from './command-context.js';
import { editorOf, openInEditor } from './open-editor.js';
import { screenOptions } from './terminal.js';

type Diagnose = ProviderScreenOptions['start'];

/** Tests everything that the queries of a memory need. @throws what {@link showDiagnosis} does */
export function showMemoryDiagnosis(
  memory: OpenedMemory,
  command: CommandContext,
): Promise<Diagnosis> {
  const subject = memory.ext === undefined ? 'provider path' : 'external search';
  return showDiagnosis(
    (signal, onEvent) => diagnoseMemory(memory, { signal, onEvent }),
    `${subject} of agent ${memory.name}`,
    command,
  );
}

/**
 * Shows a diagnosis: on a terminal, live until the user leaves; then, in any case, as text.
 *
 * @param title for example `provider path of agent main`
 * @throws SvcError INTERRUPTED if the user left before it was complete
 */
export async function showDiagnosis(
  diagnose: Diagnose,
  title: string,
  command: CommandContext,
): Promise<Diagnosis> {
  const { context, terminal, view, quiet, signal, mask, write } = command;
  const start: Diagnose = async (checkSignal, onEvent) => {
    const diagnosis = await diagnose(checkSignal, (event) => {
      const shown =
        event.type === 'check.finished'
          ? { ...event, outcome: withShownHint(event.outcome, view) }
          : event;
      onEvent(mask.data(shown));
    });
    const checks = withShownHints(diagnosis.checks, view);
    return mask.data({ ...diagnosis, checks });
  };
  const show = (diagnosis: Diagnosis): void => write(renderDiagnosis(diagnosis, title, view));
  if (quiet || !terminal.screen) {
    const diagnosis = await start(signal, () => undefined);
    show(diagnosis);
    return diagnosis;
  }
  const { runProviderScreen } = await import('../ui/screens/provider/run.js');
  const end = await runProviderScreen({
    ...screenOptions(terminal),
    title,
    start,
    edit: editorOf(context.env) === undefined ? undefined : (place) => openInEditor(place, command),
    signal,
  });
  if (end.diagnosis !== undefined) show(end.diagnosis);
  if (end.placeToEdit !== undefined) await openInEditor(end.placeToEdit, command);
  if (end.diagnosis === undefined) throw new SvcError('INTERRUPTED', 'stopped');
  return end.diagnosis;
}
