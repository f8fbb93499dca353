/**
 * A runner in a process of its own, for tests that kill it or set several against each other. Says
 * `ready` when it looks for tasks; ends on SIGTERM.
 *
 *   node --import tsx child.ts HOME FLOWS-SETTINGS-AS-JSON
 */
import { runnerWorld } from '../../support/runner.js';
import { folderAt } from '../../support/temp-folder.js';

const [home = '', settings = '{}'] = process.argv.slice(2);
const world = await runnerWorld(JSON.parse(settings), { home: folderAt(home) });
await world.startRunner();
process.stdout.write('ready\n');
process.on('SIGTERM', () => void world.close());
