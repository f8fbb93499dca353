/** A worker that claims tasks until none is left: `claim-worker.ts CONFIG HOME`. Prints when, and how many. */
import { resolveConfig } from '../src/engine/config/index.js';
import { openFlows } from '../src/engine/flows/index.js';
import { contextOf } from '../test/support/context.js';

const [config = '{}', home = ''] = process.argv.slice(2);
const context = contextOf(home);
const flows = await openFlows(context, resolveConfig(JSON.parse(config)));
await flows.version();
process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('data', resolve));
const startedMs = Date.now();
let claimed = 0;
while ((await flows.tasks.claim({ worker: String(process.pid) })) !== undefined) claimed += 1;
process.stdout.write(`${JSON.stringify({ startedMs, endedMs: Date.now(), claimed })}\n`);
process.stdin.destroy();
await flows.close();
process.exit();
