/** Archives conversations: `archiving-child.ts SETTINGS PLACES`, each as JSON. Prints `go` just before it begins. */
import { SessionArchive } from '../../../../src/engine/memory/sources/archive/session-archive.js';
import { scanTranscripts } from '../../../../src/engine/memory/sources/index.js';

const [settings, places] = process.argv.slice(2).map((json) => JSON.parse(json));
const { files } = scanTranscripts({ places });
const archive = new SessionArchive(settings);
process.stdout.write('go');
await archive.update(files, { leftOf: (text) => text, nowMs: Date.now() });
