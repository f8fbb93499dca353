/**
 * Sweeps a workspace again and again, each time with another claim that was asked for often, until it is
 * killed. Says "ready" once it begins.
 *
 * Arguments: the workspace, the state folder, the number of the first claim.
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { dreamWorkspace } from '../../../../src/engine/dreaming/dream-workspace.js';
import { appendRecall } from '../../../../src/engine/dreaming/recall-log/recall-log.js';
import { runSweep } from '../../../../src/engine/dreaming/sweep/run-sweep.js';
import { NEVER } from '../../../../src/engine/support/async.js';
import { NOTES_ONLY } from '../../../support/dreams.js';
import { claimOf, NIGHT, NOTE, tightSettings } from './sweeping-claims.js';

const [dir = '', stateDir = '', first = '0'] = process.argv.slice(2);
const workspace = dreamWorkspace(dir, { stateDir });

mkdirSync(join(dir, 'memory'), { recursive: true });
process.stdout.write('ready\n');
for (let number = Number(first); ; number++) {
  const text = claimOf(number);
  appendFileSync(join(dir, NOTE), `- ${text}\n`);
  for (let question = 0; question < 6; question++) {
    appendRecall(workspace.files.recallLog, {
      atMs: NIGHT - question * 80_000_000,
      queryHash: `question-${question}`,
      claims: [{ text, source: 'memory', path: NOTE, startLine: 1, endLine: 1, score: 0.9 }],
    });
  }
  await runSweep({
    workspace,
    settings: tightSettings(),
    agentSources: NOTES_ONLY,
    timeZone: 'UTC',
    clock: { now: () => NIGHT },
    trigger: 'manual',
    signal: NEVER,
  });
}
