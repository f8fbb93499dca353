import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FakeVendor } from '../fakes/fake-vendor.js';
import { startOpenAiFake } from '../fakes/openai.js';
import { jsonOf } from '../support/json.js';
import { runSvc, startSvc } from '../support/run-svc.js';
import { openAiSearchSettings, textsSent } from '../support/semantic-memory.js';
import { tempFolder } from '../support/temp-folder.js';
import { waitFor } from '../support/wait.js';

const test = suite<{ fake: FakeVendor }>('killing a process that embeds');

test.before(async (context) => {
  context.fake = await startOpenAiFake({ dimensions: 64 });
});
test.after(({ fake }) => fake.close());

/** Requests that a run has under way at most, and the passages in one. */
const UNDER_WAY = 4 * 128;
const NOTES = 3000;

test('killed at any moment, no passage except those in flight is paid for twice', async ({
  fake,
}) => {
  const home = tempFolder();
  const notes = tempFolder();
  for (let n = 0; n < NOTES; n++)
    notes.write(`memory/n${n}.md`, `# Note ${n}\n\nThing ${n} of many.\n`);
  const defaults = { workspace: notes.path, memorySearch: openAiSearchSettings(fake) };
  home.write('svc.json', JSON.stringify({ agents: { defaults } }));
  const kills = [1, 5, 9];
  for (const requests of kills) {
    const from = fake.requests.length;
    const run = startSvc(['memory', 'index', '--json'], { home: home.path });
    await waitFor('requests', () => fake.requests.length - from >= requests);
    run.child.kill('SIGKILL');
    await run.done;
  }
  const summary = jsonOf.index(await runSvc(['memory', 'index', '--json'], { home: home.path }));
  const [agent] = summary.agents;
  assert.ok(agent !== undefined && 'embedding' in agent);
  assert.is(agent.embedding?.pending, 0);
  const sent = textsSent(fake);
  const twice = sent.length - new Set(sent).size;
  assert.is(new Set(sent).size, NOTES);
  assert.ok(twice <= kills.length * UNDER_WAY, `${twice} of ${NOTES} were sent twice`);
});

test.run();
