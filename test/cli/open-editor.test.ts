import { existsSync, readFileSync, rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { editorCommand, openInEditor, openOnDesktop } from '../../src/cli/open-editor.js';
import { contextOf } from '../support/context.js';
import { failureOf } from '../support/failure.js';
import { tempFolder } from '../support/temp-folder.js';

const test = suite('passing a location to an editor');

const PLACE = { file: '/notes/a b.md', line: 12, column: 3 };

function argsOf(command: string): readonly string[] {
  return editorCommand(command, PLACE).args;
}

for (const [editors, args] of [
  ['vi view', ['+12', '/notes/a b.md']],
  ['vim nvim gvim vim.basic', ['+call cursor(12, 3)', '/notes/a b.md']],
  ['nano', ['+12,3', '/notes/a b.md']],
  ['hx zed subl', ['/notes/a b.md:12:3']],
  ['emacs emacsclient micro kak emacs-29 emacs29.4', ['+12:3', '/notes/a b.md']],
  ['code codium cursor code-insiders', ['--goto', '/notes/a b.md:12:3']],
  ['idea webstorm', ['--line', '12', '--column', '3', '/notes/a b.md']],
  ['mate', ['--line', '12', '/notes/a b.md']],
  ['true my-own-script constructor', ['/notes/a b.md']],
] as const) {
  test(`${editors}: the location is passed as ${args.join(' ')}`, () => {
    for (const editor of editors.split(' ')) assert.equal(argsOf(editor), args, editor);
  });
}

test('a folder opens in the program of the desktop, where there is one', async () => {
  const home = tempFolder();
  const opened = home.at('opened');
  const isMac = process.platform === 'darwin';
  const program = isMac ? 'bin/open' : 'bin/xdg-open';
  home.writeScript(program, `test "$1" != /refused && echo "$1" >> '${opened}'`);
  const path = process.env['PATH'];
  process.env['PATH'] = home.at('bin');
  try {
    assert.is(await openOnDesktop('/notes', {}), isMac);
    assert.is(existsSync(opened), isMac);
    assert.is(await openOnDesktop('/a folder', { DISPLAY: ':0' }), true);
    assert.is(await openOnDesktop('/wayland', { WAYLAND_DISPLAY: 'wayland-0' }), true);
    assert.match(readFileSync(opened, 'utf8'), /^\/a folder\n\/wayland\n$/m);
    assert.is(await openOnDesktop('/refused', { DISPLAY: ':0' }), false);
    rmSync(home.at('bin'), { recursive: true });
    assert.is(await openOnDesktop('/notes', { DISPLAY: ':0' }), false);
  } finally {
    process.env['PATH'] = path;
  }
});

test("the user's arguments come first, and a quoted program can contain blanks", () => {
  assert.equal(argsOf('code --wait'), ['--wait', '--goto', '/notes/a b.md:12:3']);
  assert.equal(editorCommand(`"/Applications/My Apps/subl" -w 'x y'`, PLACE), {
    program: '/Applications/My Apps/subl',
    args: ['-w', 'x y', '/notes/a b.md:12:3'],
  });
  assert.equal(argsOf('/usr/local/bin/emacsclient -t'), ['-t', '+12:3', '/notes/a b.md']);
});

test('quotes can be in the middle of a word', () => {
  assert.equal(argsOf(`code --user-data-dir="/tmp/a b" --x='c d'"e f" -w`), [
    '--user-data-dir=/tmp/a b',
    '--x=c de f',
    '-w',
    '--goto',
    '/notes/a b.md:12:3',
  ]);
  assert.equal(argsOf(`my-editor "" "it's"`), ['', "it's", '/notes/a b.md']);
});

test('no shell syntax is interpreted', () => {
  assert.equal(editorCommand('vi; rm -rf $HOME', PLACE), {
    program: 'vi;',
    args: ['rm', '-rf', '$HOME', '/notes/a b.md'],
  });
});

test('an editor that cannot be run is an error with its reason in words', async () => {
  const context = contextOf('/', { env: { VISUAL: '/no/such/editor' } });
  const shown = { context, showLocation: () => undefined };
  const { code, message } = await failureOf(() => openInEditor(PLACE, shown));
  assert.equal(
    [code, message],
    ['USAGE', 'cannot run the editor "/no/such/editor": no such file or folder'],
  );
});

test.run();
