import { symlinkSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { failureOf } from '../../support/failure.js';
import { importHome, outcomesOf, settingsOf } from './support.js';

const test = suite('importing from qmd and basic-memory');

const QMD = `
global_context: Notes of Ada
models:
  embed: hf:ggml-org/embeddinggemma-300M-GGUF
collections:
  notes:
    path: ~/notes
    pattern: "**/*.md"
    ignore: ["drafts/**", "*.tmp.md"]
    context:
      /: everything
  wiki:
    path: ../../wiki
    pattern: "pages/*.md"
    update: "touch /tmp/svc-import-must-not-run"
  gone:
    path: /does/not/exist
  rare:
    path: ~/rare
    includeByDefault: false
`;

test('collections of qmd become extra paths; its commands never run', async () => {
  const home = importHome({
    '.config/qmd/index.yml': QMD,
    'notes/a.md': 'a',
    'wiki/a.md': 'a',
    'rare/a.md': 'a',
  });
  const plan = await home.prepare('qmd');
  assert.equal(settingsOf(plan), {
    agents: {
      defaults: {
        memorySearch: {
          extraPaths: [home.at('notes'), home.at('wiki')],
          exclude: ['drafts/**', '*.tmp.md'],
        },
      },
    },
  });
  assert.equal(outcomesOf(plan), {
    'collections.notes': 'taken',
    'collections.notes.ignore': 'translated',
    'collections.wiki': 'translated',
    'collections.notes.context': 'left',
    'collections.wiki.update': 'left',
    'collections.gone': 'left',
    'collections.rare': 'left',
    global_context: 'left',
    models: 'left',
  });
  await home.apply(plan);
  assert.equal((await home.prepare('qmd')).diff, []);
});

test('a folder that is listed in another way is not added again', async () => {
  const home = importHome({ '.config/qmd/index.yml': QMD, 'notes/a.md': 'a', 'wiki/a.md': 'a' });
  symlinkSync(home.at('notes'), home.at('linked'));
  const extraPaths = ['~/wiki', home.at('linked'), 'notes'];
  const agents = { defaults: { memorySearch: { extraPaths } } };
  home.write('.svc/svc.json', JSON.stringify({ agents }));
  const plan = await home.prepare('qmd');
  const { 'collections.notes': notes, 'collections.wiki': wiki } = outcomesOf(plan);
  assert.equal([notes, wiki], ['present', 'present']);
  const { defaults } = Object(settingsOf(plan)).agents;
  assert.equal(defaults.memorySearch.extraPaths, extraPaths);
});

test('a qmd project is read by its path; its folders start at the project', async () => {
  const home = importHome({
    'p/.qmd/index.yaml': 'collections: { docs: { path: docs }, all: { path: . } }',
    'p/.qmd/index.yml': 'collections: {}',
    'p/docs/a.md': 'a',
  });
  for (const path of ['p', 'p/.qmd', 'p/.qmd/index.yaml']) {
    const plan = await home.prepare('qmd', path);
    const { defaults } = Object(settingsOf(plan)).agents;
    assert.equal(defaults.memorySearch.extraPaths, [home.at('p/docs'), home.at('p')], path);
  }
});

test('collections of qmd without a folder are reported, and the others are imported', async () => {
  const text = 'collections: { bare: { pattern: "*.md" }, text: notes, notes: { path: ~/notes } }';
  const home = importHome({ '.config/qmd/index.yml': text, 'notes/a.md': 'a' });
  const plan = await home.prepare('qmd');
  assert.equal(
    plan.items.map(({ from, outcome, why }) => [from, outcome, why]),
    [
      ['collections.notes', 'taken', null],
      ['collections.bare', 'left', 'it has no path'],
      ['collections.text', 'left', 'it is not a collection'],
    ],
  );
});

test('YAML that is invalid, hostile or something else is refused', async () => {
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
  for (let n = 1; n < 12; n++) {
    const [name, last] = [String.fromCharCode(97 + n), String.fromCharCode(96 + n)];
    bomb.push(`${name}: &${name} [${Array(9).fill(`*${last}`).join(', ')}]`);
  }
  for (const text of [': [', bomb.join('\n'), '- a', '7', `${'['.repeat(50_000)}`]) {
    const home = importHome({ '.config/qmd/index.yml': text });
    const failure = await failureOf(home.prepare('qmd'));
    assert.is(failure.code, 'IMPORT_SOURCE_INVALID', text.slice(0, 20));
    assert.not.match(failure.message, /:\s*$/u);
  }
  const empty = importHome({ '.config/qmd/index.yml': '' });
  assert.equal(settingsOf(await empty.prepare('qmd')), {});
});

test('projects of basic-memory become extra paths', async () => {
  const home = importHome({ 'notes/a.md': 'a', 'synced/a.md': 'a', 'old/a.md': 'a' });
  home.write(
    '.basic-memory/config.json',
    JSON.stringify({
      default_project: 'main',
      projects: {
        main: { path: home.at('notes'), mode: 'local' },
        shared: { path: 'x', mode: 'cloud', local_sync_path: home.at('synced') },
        cloud: { mode: 'cloud', workspace_id: 'w' },
        old: home.at('old'),
        gone: { path: '/does/not/exist' },
      },
    }),
  );
  const plan = await home.prepare('basic-memory');
  assert.equal(settingsOf(plan), {
    agents: {
      defaults: {
        memorySearch: { extraPaths: [home.at('notes'), home.at('synced'), home.at('old')] },
      },
    },
  });
  const outcomes = outcomesOf(plan);
  assert.equal([outcomes['projects.cloud'], outcomes['projects.gone']], ['left', 'left']);
  for (const text of ['{', '[]', '{}', '{"projects":[]}']) {
    const bad = importHome({ '.basic-memory/config.json': text });
    assert.is((await failureOf(bad.prepare('basic-memory'))).code, 'IMPORT_SOURCE_INVALID', text);
  }
});

test.run();
