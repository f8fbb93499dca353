import { dreamWorkspace } from '../../src/engine/dreaming/dream-workspace.js';
import { withProcessLock } from '../../src/engine/sqlite/process-lock.js';
import { NEVER } from '../../src/engine/support/async.js';
import { type SvcRun, startSvc } from './run-svc.js';
import type { TempFolder } from './temp-folder.js';

/** Runs a command while another process changes the notes of the workspace `ws`. @param work what happens once the command waits for that process */
export async function runDuringNoteChanges(
  home: TempFolder,
  args: readonly string[],
  work: () => void,
): Promise<SvcRun> {
  const { lock } = dreamWorkspace(home.at('ws'), { stateDir: home.path }).files;
  const run = await withProcessLock(lock, { signal: NEVER }, async () => {
    const started = startSvc(args, { home: home.path });
    await started.waitForText('waiting for another process that writes notes');
    work();
    return started;
  });
  return run.done;
}
