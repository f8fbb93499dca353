import { readdirSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fakeNpm } from '../fakes/fake-npm.js';
import { pdf } from '../support/documents.js';
import { jsonOf } from '../support/json.js';
import { startSvc } from '../support/run-svc.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf } from '../support/temp-folder.js';

const test = suite('documents of other kinds');

const INSTALL = ['memory', 'documents', 'install', 'pdf'];

test('a PDF is skipped until its library is installed, and then found by page', async () => {
  const home = folderOf({
    'svc.json': JSON.stringify({
      agents: { defaults: { workspace: 'notes', memorySearch: { documents: ['pdf'] } } },
    }),
    'notes/memory/boat.md': 'The boat is blue.',
  });
  writeFileSync(home.at('notes/memory/guide.pdf'), pdf(['Intro.'], ['The lantern is red.']));
  const npm = fakeNpm();
  const options = { home: home.path, env: npm.env };
  const without = await runInSession(['memory', 'index', '--verbose'], options);
  assert.match(without.stderr + without.stdout, /svc memory documents install pdf/u);
  npm.behave('hangs');
  const interrupted = startSvc(INSTALL, options);
  await npm.whenHanging();
  interrupted.child.kill('SIGINT');
  assert.is((await interrupted.done).code, 130);
  assert.equal(readdirSync(home.at('libraries')), ['pdf.lock']);
  npm.behave('installs');
  const installed = await runInSession(INSTALL, options);
  assert.is(installed.code, 0, installed.stderr);
  assert.match(
    installed.stderr,
    /npm is installing unpdf 1\..*checking that it loads.*installed/su,
  );
  assert.is(installed.stdout, 'run "svc memory index"\n');
  assert.is((await runInSession(['memory', 'index'], options)).code, 0);
  const found = jsonOf.search(
    await runInSession(['memory', 'search', 'lantern', '--json'], options),
  );
  assert.is(found.results[0]?.citation, 'memory/guide.pdf#p1-p2');
  home.write('svc.json', '{}');
  const unset = await runInSession(INSTALL, options);
  assert.is(unset.stdout, 'add "pdf" to memorySearch.documents, and run "svc memory index"\n');
  const again = jsonOf.installDocuments(await runInSession([...INSTALL, '--json'], options));
  assert.is(again.library.outcome, 'already');
  const removed = jsonOf.installDocuments(
    await runInSession([...INSTALL, '--remove', '--json'], options),
  );
  assert.is(removed.library.outcome, 'removed');
  assert.equal(readdirSync(home.at('libraries')), ['pdf.lock']);
});

test.run();
