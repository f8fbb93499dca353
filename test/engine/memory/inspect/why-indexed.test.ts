import { readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openMemory } from '../../../../src/engine/memory/index.js';
import { whyIndexed } from '../../../../src/engine/memory/inspect/why-indexed.js';
import { contextOf } from '../../../support/context.js';
import { folderOf, withSamePath } from '../../../support/temp-folder.js';

const test = suite('why a file is indexed or not');

const SETTINGS = `{
  "agents": {
    "defaults": { "memorySearch": { "exclude": ["a.tmp.md"] } },
    "list": [{
      "id": "main",
      "memorySearch": {
        "exclude": [
          "drafts/"
        ],
        "extraPaths": ["handbook"]
      }
    }]
  }
}`;

async function whyOf(files: Readonly<Record<string, string>>, link?: readonly [string, string]) {
  const home = folderOf({ 'state/svc.json': SETTINGS });
  for (const [path, text] of Object.entries(files)) home.write(`state/workspace/${path}`, text);
  if (link !== undefined) symlinkSync(link[1], home.at(`state/workspace/${link[0]}`));
  const memory = await openMemory(contextOf(home.at('state')), { kind: 'agent' });
  return {
    home,
    memory,
    indexFile: memory.agent.memorySearch.store.path,
    sync: () => memory.backend.sync({}),
    why: (path: string) => whyIndexed(memory, path),
    close: () => memory.backend.close(),
  };
}

test('a name is accepted as svc displays it, also as a citation', async () => {
  const { why, close } = await whyOf({ 'memory/a\nb.md': '', 'memory/c\\nd.md': '' });
  for (const [shown, path] of [
    ['memory/a\\nb.md', 'memory/a\nb.md'],
    ['memory/a\\nb.md#L3-L5', 'memory/a\nb.md'],
    ['memory/c\\nd.md', 'memory/c\\nd.md'],
  ] as const) {
    const { included, path: found } = await why(shown);
    assert.equal([found, included], [path, true]);
  }
  await close();
});

test('a name is accepted in either form of Unicode', async () => {
  const { why, close } = await whyOf({
    'memory/Cafe\u0301.md': '',
    'memory/cre\u0300me.md': '',
    'memory/.svcignore': 'cr\u00e8me.md',
  });
  const cafe = await why('memory/Caf\u00e9.md');
  assert.equal([cafe.path.normalize('NFC'), cafe.reason], ['memory/Caf\u00e9.md', 'included']);
  assert.is((await why('memory/cr\u00e8me.md#L2')).reason, 'excluded');
  await close();
});

test('a name is accepted as the system accepts it, in another case', async () => {
  const { home, why, close } = await whyOf({ 'memory/Alpha.md': '' });
  const [typed, listed] = ['alpha', 'Alpha'].map((name) =>
    home.at(`state/workspace/memory/${name}.md`),
  );
  await withSamePath(String(typed), String(listed), async () => {
    const { path, reason } = await why('memory/alpha.md');
    assert.equal([path, reason], ['memory/Alpha.md', 'included']);
  });
  await close();
});

test('a file that was forgotten as a whole is not shown as indexed', async () => {
  const { memory, why, sync, close } = await whyOf({ 'memory/a.md': 'Ada', 'memory/b.md': 'Bea' });
  await sync();
  const forgetting = await memory.backend.forgetting();
  await forgetting.hide(await forgetting.plan({ target: 'memory/a.md' }), { fromFile: false });
  await sync();
  const { included, indexed, reason } = await why('memory/a.md');
  assert.equal([included, indexed, reason], [false, false, 'forgotten']);
  assert.is((await why('memory/b.md')).detail, undefined);
  assert.is((await why('memory')).reason, 'included');
  await close();
});

test('of a damaged index, nothing is known', async () => {
  const { why, sync, close, indexFile } = await whyOf({ 'memory/a.md': 'a' });
  await sync();
  await close();
  const bytes = readFileSync(indexFile);
  const answers = new Set<boolean>();
  for (let page = 1; page < bytes.length / 4096; page++) {
    writeFileSync(indexFile, Buffer.from(bytes).fill(0xa5, page * 4096, (page + 1) * 4096));
    const { included, indexed } = await why('memory/a.md');
    assert.ok(included);
    answers.add(indexed);
  }
  assert.equal([...answers].toSorted(), [false, true]);
});

test('the workspace and the folders above it are indexed if a file in them is', async () => {
  const { home, why, sync, close } = await whyOf({ 'memory/a.md': 'a' });
  for (const indexed of [false, true]) {
    for (const [folder, path] of [
      ['.', '.'],
      ['memory', 'memory'],
      [home.at('state'), '..'],
    ] as const) {
      const { detail, ...explanation } = await why(folder);
      const expected = { path, included: true, indexed, reason: 'included', rule: null };
      assert.equal(explanation, expected, folder);
    }
    await sync();
  }
  await close();
});

test('the pattern of the setting is found in the configuration, with its line', async () => {
  const { home, why, close } = await whyOf({
    'memory/a.tmp.md': '',
    'memory/drafts/deep/x.md': '',
  });
  const expected = {
    path: 'memory/drafts/deep/x.md',
    included: false,
    indexed: false,
    reason: 'excluded',
    rule: {
      from: 'setting',
      file: home.at('state/svc.json'),
      line: 8,
      pattern: 'drafts/',
      path: 'memory/drafts',
    },
  };
  assert.equal(await why('memory/drafts/deep/x.md'), expected);
  assert.equal(await why(home.at('state/workspace/memory/drafts/deep/x.md')), expected);
  assert.is((await why('./memory/a.tmp.md')).rule?.line, 3);
  await close();
});

test('an ignore file, a pattern that includes again, and files without a pattern', async () => {
  const { why, sync, home, close } = await whyOf({
    'memory/.svcignore': '*.x.md\n!kept.x.md\n',
    'memory/b.x.md': '',
    'memory/kept.x.md': 'Kept.',
    'memory/plain.md': 'Plain.',
    'memory/old/a.x.md': '',
  });
  await sync();
  const { reason, rule } = await why('memory/b.x.md');
  assert.equal(
    [reason, rule?.from, rule?.file, rule?.line],
    [...['excluded', 'svcignore', 'memory/.svcignore', 1]],
  );
  const kept = await why('memory/kept.x.md');
  assert.equal([kept.included, kept.indexed, kept.rule?.pattern], [true, true, '!kept.x.md']);
  assert.is((await why('memory/plain.md')).rule, null);
  assert.is((await why('memory')).detail, 'a folder with 2 files');
  const folder = await why('memory/old');
  assert.equal(
    [folder.reason, folder.rule?.pattern, folder.rule?.path],
    ['excluded', '*.x.md', 'memory/old/a.x.md'],
  );
  home.write('state/workspace/memory/.svcignore', 'plain.md\n');
  const outdated = await why('memory/plain.md');
  assert.equal([outdated.included, outdated.indexed], [false, true]);
  await close();
});

test('a file that could not be read is not indexed', async () => {
  const { home, why, sync, close } = await whyOf({ 'memory/a.md': '', 'memory/big.md': '' });
  truncateSync(home.at('state/workspace/memory/big.md'), 65 * 1024 * 1024);
  await sync();
  const { included, indexed, reason, detail } = await why('memory/big.md');
  assert.equal([included, indexed, reason], [false, false, 'skipped']);
  assert.match(detail ?? '', /memory\/big\.md: too large/);
  await close();
});

test('files that no pattern decides about', async () => {
  const files = {
    'memory/a.md': '',
    'memory/.git/b.md': '',
    'memory/c.txt': '',
    'memory/c.png': '',
    'memory/c.markdown': '',
    'USER.txt': '',
    'elsewhere/e.md': '',
    'handbook/f.org': '',
    'memory/bad/.svcignore': '**/**x/**y/**/z',
    'memory/bad/d.md': '',
    'memory/dreaming/light/2026-01-01.md': '',
    'README.md': '',
  };
  const { home, why, close } = await whyOf(files, ['memory/link.md', 'a.md']);
  const explanationOf = async (path: string) => {
    const { reason, detail = '' } = await why(path);
    return `${reason} ${detail}`.trim();
  };
  assert.is(await explanationOf('README.md'), 'outside');
  assert.is(
    await explanationOf('memory/.git/b.md'),
    'outside folders named .git are never indexed',
  );
  assert.is(
    await explanationOf('memory/dreaming/light/2026-01-01.md'),
    'outside reports of dreaming are not memory',
  );
  const included = 'can include its format';
  assert.is(await explanationOf('memory/c.txt'), `other_kind memorySearch.documents ${included}`);
  assert.is(await explanationOf('memory/c.png'), `other_kind memorySearch.multimodal ${included}`);
  assert.is(await explanationOf('memory/c.markdown'), 'other_kind');
  assert.is(await explanationOf('handbook/f.org'), `other_kind memorySearch.documents ${included}`);
  for (const path of ['USER.txt', '/etc/passwd', '../svc.json', 'elsewhere/e.md']) {
    assert.is(await explanationOf(path), 'outside', path);
  }
  symlinkSync(home.at('state/workspace/elsewhere'), home.at('state/workspace/memory/linked'));
  for (const path of ['memory/linked', 'memory/linked/e.md']) {
    assert.is(await explanationOf(path), 'skipped memory/linked: symbolic link', path);
  }
  const none = home.at('state/workspace/workspace/memory/a.md');
  assert.is(await explanationOf('workspace/memory/a.md'), `missing ${none}`);
  assert.is(await explanationOf('memory/link.md'), 'skipped memory/link.md: symbolic link');
  for (const path of ['memory/bad', 'memory/bad/d.md']) {
    assert.match(await explanationOf(path), /^skipped memory\/bad\/.svcignore: line 1 /, path);
  }
  await close();
});

test.run();
