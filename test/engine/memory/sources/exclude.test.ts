import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ExcludeSettings } from '../../../../src/engine/memory/sources/exclude.js';
import {
  type MemoryFilesOptions,
  scanMemoryFiles,
} from '../../../../src/engine/memory/sources/memory-files.js';
import { folderOf, tempFolder } from '../../../support/temp-folder.js';

const test = suite('excluding files');

interface Wanted extends Partial<ExcludeSettings> {
  readonly layout?: MemoryFilesOptions['layout'];
  readonly extraPaths?: readonly string[];
}

function scan(workspaceDir: string, wanted: Wanted = {}) {
  const { layout = 'agent', extraPaths = [], patterns = [], respectGitignore } = wanted;
  const exclude = { patterns, respectGitignore };
  return scanMemoryFiles({ workspaceDir, layout, extraPaths, exclude });
}

function paths(workspaceDir: string, wanted: Wanted = {}): readonly string[] {
  return scan(workspaceDir, wanted).files.map(({ path }) => path);
}

const NOTES = {
  'MEMORY.md': '',
  'memory/a.md': '',
  'memory/drafts/b.md': '',
  'memory/drafts/deep/c.md': '',
  'memory/z.tmp.md': '',
};

test('the setting excludes files, folders and MEMORY.md, relative to the workspace', () => {
  const ws = folderOf(NOTES);
  assert.equal(paths(ws.path, { patterns: ['drafts/', '*.tmp.md', '/MEMORY.md'] }), [
    'memory/a.md',
  ]);
  assert.equal(paths(ws.path, { patterns: ['/drafts/', '/memory/a.md'] }), [
    'MEMORY.md',
    'memory/z.tmp.md',
    'memory/drafts/b.md',
    'memory/drafts/deep/c.md',
  ]);
});

test('paths below the root of a disk have one separator, as the system names open files', () => {
  const { decisions } = scan('/', { layout: 'folder', patterns: ['*'] });
  assert.ok(decisions.length > 0);
  assert.equal(
    decisions.map(({ path }) => path).filter((path) => path.startsWith('//')),
    [],
  );
});

test('the last pattern that matches decides, and nothing in an excluded folder comes back', () => {
  const ws = folderOf(NOTES);
  const kept = paths(ws.path, {
    patterns: ['memory/**', '!memory/drafts/', '!memory/drafts/b.md'],
  });
  assert.equal(kept, ['MEMORY.md', 'memory/drafts/b.md']);
  assert.equal(paths(ws.path, { patterns: ['memory/', '!memory/a.md'] }), ['MEMORY.md']);
});

test('a pattern excludes what it names in either form of Unicode', () => {
  for (const [pattern, file] of [
    ['privé/', 'memory/privé/a.md'],
    ['/memory/m?ll.md', 'memory/müll.md'],
  ] as const) {
    for (const form of ['NFC', 'NFD']) {
      const ws = folderOf({ 'memory/a.md': '', [file.normalize(form)]: '' });
      for (const typed of [pattern.normalize('NFC'), pattern.normalize('NFD')]) {
        assert.equal(paths(ws.path, { patterns: [typed] }), ['memory/a.md'], `${typed} ${form}`);
      }
    }
  }
});

test('.svcignore applies in the workspace and in every folder below', () => {
  const ws = folderOf({
    ...NOTES,
    '.svcignore': '# private\n\n/memory/a.md\r\n',
    'memory/drafts/.svcignore': '/b.md\n',
    'memory/.svcignore': '*.tmp.md\n!z.tmp.md\n',
  });
  assert.equal(paths(ws.path), ['MEMORY.md', 'memory/z.tmp.md', 'memory/drafts/deep/c.md']);
});

test('an ignore file can be UTF-16, which PowerShell writes, or have a mark of UTF-8', () => {
  const ws = folderOf(NOTES);
  const patterns = '\ufeffdrafts/\n*.tmp.md\n';
  const utf16 = Buffer.from(patterns, 'utf16le');
  for (const bytes of [utf16, Buffer.from(utf16).swap16(), Buffer.from(patterns)]) {
    writeFileSync(ws.at('memory/.svcignore'), bytes);
    assert.equal(paths(ws.path), ['MEMORY.md', 'memory/a.md']);
  }
});

test('the setting overrides .svcignore, which overrides .gitignore', () => {
  const ws = folderOf({
    ...NOTES,
    '.gitignore': 'drafts/\n*.tmp.md\n',
    '.svcignore': '!*.tmp.md\na.md\n',
  });
  const wanted = { respectGitignore: true, patterns: ['!a.md', '!drafts/'] };
  assert.equal(paths(ws.path, wanted), Object.keys(NOTES).toSorted(byWalk));
});

/** Files of a folder come before those of its subfolders. */
function byWalk(a: string, b: string): number {
  return a.split('/').length - b.split('/').length || (a < b ? -1 : 1);
}

test('by default, .gitignore counts in extra paths in a work tree, and not in the workspace', () => {
  const git = folderOf({
    'repo/.git/HEAD': '',
    'repo/.gitignore': 'build/\n',
    'repo/docs/.gitignore': 'x.md\n',
    'repo/docs/x.md': '',
    'repo/docs/y.md': '',
    'repo/docs/build/z.md': '',
    'plain/.gitignore': 'p.md\n',
    'plain/p.md': '',
    'ws/.git/HEAD': '',
    'ws/.gitignore': 'memory/\n',
    'ws/memory/a.md': '',
    'ws/vendor/lib/.git': 'gitdir: elsewhere\n',
    'ws/vendor/lib/.gitignore': 'v.md\n',
    'ws/vendor/lib/v.md': '',
    'ws/vendor/lib/w.md': '',
  });
  const extraPaths = ['../repo/docs', '../plain', 'vendor/lib', '.'];
  const ws = git.at('ws');
  const kept = ['memory/a.md', '../repo/docs/y.md', '../plain/p.md', 'vendor/lib/w.md'];
  // The whole workspace is an extra path, so that it has the file that a work tree in it ignores.
  assert.equal(paths(ws, { extraPaths }), [...kept, 'vendor/lib/v.md']);
  assert.equal(paths(ws, { extraPaths, respectGitignore: true }), [
    '../repo/docs/y.md',
    'vendor/lib/w.md',
  ]);
  assert.is(paths(ws, { extraPaths, respectGitignore: false }).length, 7);
});

test('an extra path that git ignores is indexed anyway; one that the setting excludes is not', () => {
  const git = folderOf({
    'ws/memory/a.md': '',
    'repo/.git/HEAD': '',
    'repo/.gitignore': 'out/\nsecret.md\n',
    'repo/out/b.md': '',
    'repo/out/secret.md': '',
    'repo/secret.md': '',
  });
  assert.equal(paths(git.at('ws'), { extraPaths: ['../repo/out', '../repo/secret.md'] }), [
    'memory/a.md',
    '../repo/out/b.md',
    '../repo/secret.md',
  ]);
  const inside = folderOf({ 'docs/a.md': '', 'one.txt': '' });
  const wanted = { extraPaths: ['docs', 'one.txt'], patterns: ['docs/', '*.txt'] };
  assert.equal(paths(inside.path, wanted), []);
});

test('patterns are relative to an extra path outside of the workspace', () => {
  const all = folderOf({ 'ws/MEMORY.md': '', 'wiki/a.md': '', 'wiki/deep/a.md': '' });
  assert.equal(paths(all.at('ws'), { extraPaths: ['../wiki'], patterns: ['/a.md'] }), [
    'MEMORY.md',
    '../wiki/deep/a.md',
  ]);
});

test('patterns of an ignore file can be as many, as long and as deep as the limits', () => {
  const ws = folderOf({ 'memory/a.md': '', 'memory/b/b.md': '' });
  for (const content of ['b.md\n'.repeat(1000), `b.md\n${'z'.repeat(256)}`, '**/m*/**/b/**']) {
    ws.write('.svcignore', content);
    assert.equal(paths(ws.path), ['memory/a.md'], content);
  }
});

test('a folder whose ignore file cannot be used is left out and reported', () => {
  const ws = folderOf({ 'MEMORY.md': '', 'memory/a.md': '' });
  const refusals: readonly (readonly [string, string, RegExp])[] = [
    ['x\n'.repeat(1001), 'too_large', /more than 1000 patterns/],
    ['y'.repeat(66_000), 'too_large', /64 KB/],
    [`ok\n${'z'.repeat(300)}`, 'wrong_format', /line 2 is longer/],
    ['**/a/**/b/**/c', 'wrong_format', /line 1 has more than 2 "\*\*"/],
  ];
  for (const [content, reason, detail] of refusals) {
    writeFileSync(ws.at('memory/.svcignore'), content);
    const { files, skipped } = scan(ws.path);
    assert.equal(
      files.map(({ path }) => path),
      ['MEMORY.md'],
    );
    assert.is(skipped.length, 1);
    assert.is(skipped[0]?.path, 'memory/.svcignore');
    assert.is(skipped[0]?.reason, reason);
    assert.match(skipped[0]?.detail ?? '', detail);
    assert.match(skipped[0]?.detail ?? '', 'nothing in its folder is indexed');
  }
});

test('a link in place of an ignore file is not followed, and a folder is no ignore file', () => {
  const ws = folderOf({ 'memory/a.md': '', 'other/patterns': 'a.md' });
  symlinkSync(ws.at('other/patterns'), ws.at('memory/.svcignore'));
  assert.equal(
    scan(ws.path).skipped.map(({ path, reason }) => [path, reason]),
    [['memory/.svcignore', 'symlink']],
  );
  const other = folderOf({ 'memory/a.md': '' });
  mkdirSync(other.at('memory/.svcignore'));
  assert.equal(paths(other.path), ['memory/a.md']);
});

test('decisions name the pattern, its file and its line', () => {
  const ws = folderOf({ ...NOTES, 'memory/.svcignore': '# x\ndrafts/\n*.tmp.md\n!z.*\n' });
  const decisions = scan(ws.path, { patterns: ['nothing', 'a.md'] }).decisions.map(
    ({ path, excluded, rule }) => {
      const { from, file, line, pattern } = rule();
      return [
        path.slice(ws.path.length + 1),
        excluded,
        from,
        file?.slice(ws.path.length + 1),
        line,
        pattern,
      ];
    },
  );
  assert.equal(decisions, [
    ['memory/a.md', true, 'setting', undefined, 2, 'a.md'],
    ['memory/drafts', true, 'svcignore', 'memory/.svcignore', 2, 'drafts/'],
    ['memory/z.tmp.md', false, 'svcignore', 'memory/.svcignore', 4, '!z.*'],
  ]);
});

const name = fc.constantFrom('a', 'b', 'ab', 'a.md', 'x.md');
const pattern = fc
  .array(fc.constantFrom('a', 'b', '*', '?', '**', '/', '[ab]', 'x.md', '.md', '!', '\\a'), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.join(''))
  // git compares what comes before the first wildcard on its own, so that `a**/b` also takes the file `ab`, which its
  // documentation excludes: there, `**` only has a meaning between slashes.
  .filter((text) => !/[^/!]\*\*+\//u.test(text));

test('it excludes the same files as git', () => {
  const repository = tempFolder();
  execFileSync('git', ['init', '-q', repository.path]);
  fc.assert(
    fc.property(
      fc.array(fc.array(name, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
      fc.array(pattern, { minLength: 1, maxLength: 4 }),
      (folders, patterns) => {
        const files = [...new Set(folders.map((parts) => [...parts, 'n.md'].join('/')))];
        const ws = folderOf(Object.fromEntries(files.map((file) => [file, ''])));
        writeFileSync(join(repository.path, '.gitignore'), patterns.join('\n'));
        writeFileSync(ws.at('.svcignore'), patterns.join('\n'));
        const { files: kept, skipped } = scan(ws.path, { layout: 'folder' });
        if (skipped.length > 0) return;
        const ignored = gitIgnores(repository.path, files);
        assert.equal(
          kept.map(({ path }) => path).toSorted(),
          files.filter((file) => !ignored.has(file)).toSorted(),
        );
      },
    ),
    { numRuns: 60 },
  );
});

function gitIgnores(folder: string, files: readonly string[]): ReadonlySet<string> {
  try {
    const input = files.join('\n');
    const args = ['-C', folder, 'check-ignore', '--no-index', '--stdin'];
    const out = execFileSync('git', args, { input, encoding: 'utf8' });
    return new Set(out.split('\n').filter((line) => line !== ''));
  } catch {
    // Exit code 1: none.
    return new Set();
  }
}

test.run();
