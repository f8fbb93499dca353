import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fingerprintOf } from '../../../../src/engine/memory/sources/index.js';
import {
  LONGEST_PATH,
  scanMemoryFiles,
} from '../../../../src/engine/memory/sources/memory-files.js';
import { failureOf } from '../../../support/failure.js';
import { backendOn, pathsOf, targetOf } from '../../../support/memory.js';
import { folderOf, tempFolder, withSamePath } from '../../../support/temp-folder.js';

const test = suite('files of memory');

function scan(
  workspaceDir: string,
  layout: 'agent' | 'folder',
  extraPaths: readonly string[] = [],
) {
  const { files, skipped } = scanMemoryFiles({ workspaceDir, layout, extraPaths });
  return { paths: files.map((file) => file.path), skipped };
}

test('an agent’s memory is MEMORY.md, USER.md and memory/, in exactly this case', () => {
  const ws = folderOf({
    'MEMORY.md': '',
    'USER.md': '',
    'memory/2026-02-03.md': '',
    'memory/deep/er/note.MD': '',
    'memory/.hidden/note.md': '',
    'memory/data.json': '',
    'README.md': '',
    'AGENTS.md': '',
    'other/note.md': '',
  });
  assert.equal(scan(ws.path, 'agent'), {
    paths: [
      'MEMORY.md',
      'USER.md',
      'memory/2026-02-03.md',
      'memory/.hidden/note.md',
      'memory/deep/er/note.MD',
    ],
    skipped: [],
  });
  const lower = folderOf({ 'memory.md': '', 'user.md': '', 'Memory/note.md': '' });
  assert.equal(scan(lower.path, 'agent').paths, []);
});

test('a file whose path is too long for an index is skipped', () => {
  const folder = (bytes: number): string => `${'d'.repeat(bytes - 1)}/`;
  const longest = `${folder(250).repeat(9)}${folder(247)}n.md`.slice(1);
  const ws = folderOf({ [longest]: '', [`d${longest}`]: '', 'a.md': '' });
  assert.is(Buffer.byteLength(longest), LONGEST_PATH);
  const { paths, skipped } = scan(ws.path, 'folder');
  assert.equal(paths, ['a.md', longest]);
  assert.equal(
    skipped.map(({ path, reason, detail }) => [path, reason, detail]),
    [[`d${longest}`, 'unreadable', 'its path is longer than 2,500 bytes']],
  );
});

test('MEMORY.md that is a folder, and memory that is a file, are no memory', () => {
  const ws = folderOf({ 'MEMORY.md/note.md': '', memory: '' });
  assert.equal(scan(ws.path, 'agent').paths, []);
});

test('a folder contributes every Markdown file, except in folders of tools and of deleted notes', () => {
  const ws = folderOf({
    'a.md': '',
    'b.txt': '',
    noext: '',
    'c.markdown': '',
    'x/node_modules/p/README.md': '',
    'node_modules/p/README.md': '',
    '.git/description.md': '',
    '.trash/deleted.md': '',
    'x/.stversions/a~20261120-093012.md': '',
    'logseq/bak/pages/Birds/2026-11-20T09_30_12.000Z.Desktop.md': '',
    'logseq/version-files/local/pages/Birds/2026-11-20T09_30_12.000Z.Desktop.md': '',
    'x/logseq/.recycle/pages_birds.md': '',
    'bak/kept.md': '',
    '.obsidian/notes.md': '',
    'node_modules.md': '',
  });
  assert.equal(scan(ws.path, 'folder').paths.sort(), [
    '.obsidian/notes.md',
    'a.md',
    'bak/kept.md',
    'node_modules.md',
  ]);
});

test('companion files of macOS, Emacs and Word are not memory', () => {
  const names = ['a.md', '._a.md', '.#a.md', 'b.docx', '~$b.docx', '._b.docx', '~b.md'];
  const ws = folderOf(Object.fromEntries(names.map((name) => [`notes/${name}`, ''])));
  // A lock of Emacs is a link that leads nowhere; where links are not possible, it is a file.
  symlinkSync('ada@host.4711:1795740000', ws.at('notes/.#b.md'));
  const documents = ['docx'] as const;
  const { files, skipped } = scanMemoryFiles({
    workspaceDir: ws.path,
    layout: 'folder',
    extraPaths: [],
    documents,
  });
  assert.equal(files.map(({ path }) => path).toSorted(), [
    'notes/a.md',
    'notes/b.docx',
    'notes/~b.md',
  ]);
  assert.equal(skipped, []);
});

test('symbolic links to files and folders are skipped and named; loops do no harm', () => {
  const outside = folderOf({ 'secret.md': 'secret', 'dir/in.md': '' });
  const ws = folderOf({ 'memory/a.md': '' });
  symlinkSync(outside.at('secret.md'), ws.at('memory/link.md'));
  symlinkSync(outside.at('dir'), ws.at('memory/dir.md'));
  symlinkSync(outside.at('dir'), ws.at('memory/dir'));
  symlinkSync('..', ws.at('memory/loop'));
  symlinkSync('nowhere', ws.at('memory/dangling.md'));
  symlinkSync(outside.at('secret.md'), ws.at('MEMORY.md'));
  const { paths, skipped } = scan(ws.path, 'agent');
  assert.equal(paths, ['memory/a.md']);
  assert.equal(
    skipped.map(({ path, reason }) => `${path} ${reason}`).sort(),
    [
      'MEMORY.md',
      'memory/dangling.md',
      'memory/dir',
      'memory/dir.md',
      'memory/link.md',
      'memory/loop',
    ].map((p) => `${p} symlink`),
  );
});

test('a link in overlapping folders is named once', () => {
  const ws = folderOf({ 'memory/a.md': '', 'wiki/deep/b.md': '' });
  symlinkSync('b.md', ws.at('wiki/deep/link.md'));
  const { paths, skipped } = scan(ws.path, 'agent', ['wiki', 'wiki/deep', ws.at('wiki')]);
  assert.equal(paths, ['memory/a.md', 'wiki/deep/b.md']);
  assert.equal(skipped, [{ path: 'wiki/deep/link.md', reason: 'symlink' }]);
});

test('a linked folder that is excluded or never indexed is not named, nor a link to anything else', () => {
  const outside = folderOf({ 'dir/in.md': '', 'a.txt': '' });
  const ws = folderOf({ 'memory/.svcignore': 'drafts/\n' });
  for (const name of ['drafts', 'node_modules']) {
    symlinkSync(outside.at('dir'), ws.at(`memory/${name}`));
  }
  symlinkSync(outside.at('a.txt'), ws.at('memory/a.txt'));
  symlinkSync('nowhere', ws.at('memory/dangling'));
  const options = { workspaceDir: ws.path, layout: 'agent', extraPaths: [] } as const;
  assert.equal(scanMemoryFiles({ ...options, exclude: { patterns: [] } }).skipped, []);
});

test('a memory folder or MEMORY.md that is a link is named with its hint, by every search', async () => {
  const ws = folderOf({ 'real/a.md': 'amber', 'real.md': '' });
  symlinkSync('real', ws.at('memory'));
  symlinkSync('real.md', ws.at('MEMORY.md'));
  const { paths, skipped } = scan(ws.path, 'agent');
  assert.equal(paths, []);
  assert.equal(
    skipped.map(({ path, reason, detail }) => [path, reason, detail?.includes('extraPaths')]),
    [
      ['MEMORY.md', 'symlink', true],
      ['memory', 'symlink', true],
    ],
  );
  const named = /MEMORY\.md.*memory \(symbolic link: .*extraPaths/u;
  await everySearchWarns(targetOf(ws.path, { layout: 'agent' }), named);
});

/** A search without changes does not read the files again. */
async function everySearchWarns(
  target: ReturnType<typeof targetOf>,
  message: RegExp,
): Promise<void> {
  const backend = backendOn(target);
  for (const time of ['first', 'second']) {
    const { warnings } = await backend.search({ query: 'amber' });
    assert.equal(
      warnings.map(({ code }) => code),
      ['FILES_SKIPPED'],
      time,
    );
    assert.match(warnings[0]?.message ?? '', message);
  }
  await backend.close();
}

test('a pipe, and a name that is not UTF-8, are reported if they look like notes', () => {
  const ws = folderOf({ 'memory/a.md': '' });
  execFileSync('mkfifo', [ws.at('memory/pipe.md'), ws.at('USER.md'), ws.at('extra.md')]);
  writeFileSync(Buffer.concat([Buffer.from(ws.at('memory/x')), BAD_NAME]), 'amber');
  mkdirSync(ws.at('memory/folder.md'));
  const { paths, skipped } = scan(ws.path, 'agent', ['extra.md']);
  assert.equal(paths, ['memory/a.md']);
  assert.equal(skipped, [
    { path: 'USER.md', reason: 'not_a_file', detail: 'a pipe' },
    { path: 'memory/pipe.md', reason: 'not_a_file', detail: 'a pipe' },
    { path: 'memory/x\ufffd.md', reason: 'unreadable', detail: 'its name is not UTF-8' },
    { path: 'extra.md', reason: 'not_a_file', detail: 'a pipe' },
  ]);
});

const BAD_NAME = Buffer.from([0xff, ...Buffer.from('.md')]);

test('a workspace may itself be reached through a link', () => {
  const real = folderOf({ 'ws/a.md': '' });
  symlinkSync('ws', real.at('link'));
  assert.equal(scan(real.at('link'), 'folder').paths, ['a.md']);
});

test('where the system ignores case, a workspace is the same folder however it was typed', async () => {
  const disk = folderOf({ 'Notes/memory/a.md': '', 'Notes/Wiki/x.md': '' });
  const [typed, listed] = [disk.at('notes'), disk.at('Notes')];
  await withSamePath(typed, listed, () => {
    assert.equal(scan(typed, 'agent', [disk.at('Notes/Wiki')]).paths, ['memory/a.md', 'Wiki/x.md']);
  });
});

test('extra paths: files of any name, folders of Markdown, inside and outside, each file once', () => {
  const outside = folderOf({
    'docs/a.md': '',
    'docs/deep/b.md': '',
    'notes.txt': '',
    'docs/c.txt': '',
  });
  const ws = folderOf({ 'MEMORY.md': '', 'memory/a.md': '', 'wiki/x.md': '' });
  const extra = [
    'wiki',
    './wiki/x.md',
    outside.at('docs'),
    outside.at('docs/deep/../a.md'),
    outside.at('notes.txt'),
    'memory',
    'MEMORY.md',
  ];
  const name = outside.path.split('/').at(-1);
  const { paths, skipped } = scan(ws.path, 'agent', extra);
  assert.equal(skipped, []);
  assert.equal(paths, [
    'MEMORY.md',
    'memory/a.md',
    'wiki/x.md',
    `../${name}/docs/a.md`,
    `../${name}/docs/deep/b.md`,
    `../${name}/notes.txt`,
  ]);
});

test('an extra path that is missing is named by every search', async () => {
  const ws = folderOf({ 'memory/a.md': 'amber' });
  const target = targetOf(ws.path, { layout: 'agent', extraPaths: ['none'] });
  await everySearchWarns(target, /none \(does not exist: configured in extraPaths\)/u);
});

test('an extra path that is missing or a link is named with where it is configured', () => {
  const ws = folderOf({ 'real/a.md': '' });
  symlinkSync('real', ws.at('link'));
  const { paths, skipped } = scan(ws.path, 'agent', ['none', 'link', 'real/a.md/below', '*.md']);
  assert.equal(paths, []);
  assert.equal(skipped[0], { path: 'none', reason: 'missing', detail: 'configured in extraPaths' });
  assert.equal(skipped[1], { path: 'link', reason: 'symlink', detail: 'configured in extraPaths' });
  assert.is(skipped[2]?.path, 'real/a.md/below');
  const detail = 'extraPaths takes files and folders, not patterns';
  assert.equal(skipped[3], { path: '*.md', reason: 'missing', detail });
});

test('an extra path below a link is the file behind it, once', () => {
  const ws = folderOf({ 'real/a.md': '' });
  symlinkSync('real', ws.at('link'));
  assert.equal(scan(ws.path, 'agent', ['link/a.md', 'real/a.md']).paths, ['real/a.md']);
});

test('names with spaces, quotes, line ends, right-to-left letters and emoji are found and searched', async () => {
  const names = [
    'two words.md',
    'quo"te\'s.md',
    'line\nend.md',
    'שלום.md',
    '🎉 party.md',
    '-rf.md',
    '#L3.md',
    'per%cent.md',
    '\u202Eevil.md',
    'é.md',
    'e\u0301.md',
    `${'x'.repeat(240)}.md`,
  ];
  const texts = names.map((name, at) => [`dir ${name}/${name}`, `needle ${at}`]);
  const ws = folderOf(Object.fromEntries(texts));
  const backend = backendOn(targetOf(ws.path));
  const wanted = names.map((name) => `dir ${name}/${name}`).sort();
  const found = await backend.search({ query: 'needle', maxResults: 50 });
  assert.equal(pathsOf(found).sort(), wanted);
  for (const { citation = '', snippet } of found.results) {
    assert.is((await backend.get({ target: citation })).text, snippet);
  }
  const again = await backend.sync({});
  assert.is(again.unchanged, names.length);
});

test('a pipe called .md holds up neither a scan nor a sync', async () => {
  const ws = folderOf({ 'a.md': 'alpha' });
  execFileSync('mkfifo', [ws.at('pipe.md')]);
  assert.equal(scan(ws.path, 'folder').paths, ['a.md']);
  assert.equal(scan(ws.path, 'agent', ['pipe.md']).paths, []);
  const backend = backendOn(targetOf(ws.path, { layout: 'agent', extraPaths: ['pipe.md'] }));
  assert.equal(
    (await backend.sync({})).skipped.map(({ path, reason }) => [path, reason]),
    [['pipe.md', 'not_a_file']],
  );
});

test('a deep folder and a wide one are walked', () => {
  const ws = tempFolder();
  const deep = Array.from({ length: 200 }, () => 'd').join('/');
  mkdirSync(ws.at(deep), { recursive: true });
  ws.write(`${deep}/a.md`, '');
  for (let n = 0; n < 2000; n++) ws.write(`wide/${n}.md`, '');
  assert.is(scan(ws.path, 'folder').paths.length, 2001);
  rmSync(ws.at('wide'), { recursive: true });
});

test('a time beyond the range of dates is clamped', () => {
  const days = [9e15, -9e15, 1.5].map((mtimeMs) => {
    const { mtimeMs: ms } = fingerprintOf({ size: 1, mtimeMs, ctimeMs: 1 });
    return new Date(ms).getUTCFullYear();
  });
  assert.equal(days, [275_760, -271_821, 1970]);
});

test('a workspace that cannot be used comes with what to do, wherever it is named', async () => {
  const ws = folderOf({ 'notes.md': '' });
  const hints = [];
  for (const [name, code] of [
    ['none', 'WORKSPACE_MISSING'],
    ['notes.md', 'WORKSPACE_UNREADABLE'],
  ] as const) {
    const error = await failureOf(() => scan(ws.at(name), 'agent'));
    assert.is(error.code, code);
    hints.push(error.hint?.split(', ').slice(1).join(', '));
  }
  const others =
    'choose another with "svc config init", or search any folder with "svc search --workspace DIR"';
  assert.equal(hints, [others, others]);
});

test.run();
