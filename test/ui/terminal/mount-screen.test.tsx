import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { Text, useApp } from 'ink';
import { type ReactElement, useEffect } from 'react';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { useKeyMap } from '../../../src/ui/components/key-map.js';
import { createStyle } from '../../../src/ui/style.js';
import { mountScreen } from '../../../src/ui/terminal/mount-screen.js';
import { useTerminalSize } from '../../../src/ui/terminal/size.js';
import { errorOf } from '../../support/failure.js';
import { tempFolder } from '../../support/temp-folder.js';
import { assertRestored, createTerminal, KEYS, waitForText } from '../../support/terminal.js';
import { waitFor } from '../../support/wait.js';

const STYLE = createStyle(false);

const test = suite('a view on the alternate screen');

function Hello({ onKey }: { readonly onKey: (key: string) => void }): ReactElement {
  const handler = (key: string) => () => onKey(key);
  const names = { 'ctrl-c': 'ctrl-c', escape: 'esc', up: 'up', q: 'q', '?': '?' };
  useKeyMap(() => ({
    bindings: Object.entries(names).map(([key, name]) => ({ on: [key], run: handler(name) })),
  }));
  return <Text>hello</Text>;
}

function open(view: ReactElement) {
  const terminal = createTerminal(40, 6);
  terminal.stdout.write('$ svc\r\n');
  return { terminal, screen: mountScreen(view, { ...terminal, style: STYLE }) };
}

test('is shown until it is unmounted, and leaves nothing behind', async () => {
  const { terminal, screen } = open(<Hello onKey={() => undefined} />);
  await waitForText(terminal, 'hello');
  assert.is(terminal.buffer.alternate, true);
  assert.equal(terminal.screen(), ['hello']);
  await screen.unmount();
  await screen.unmount();
  assertRestored(terminal, '$ svc');
});

test('restores the terminal when ink unmounts it', async () => {
  function Short(): ReactElement {
    const { exit } = useApp();
    useEffect(() => exit(), [exit]);
    return <Text>short</Text>;
  }
  const { terminal } = open(<Short />);
  await waitFor('the terminal', () => !terminal.buffer.alternate, terminal.screen);
  assert.equal(terminal.screen(), ['$ svc']);
});

test('reports that a view failed, and restores the terminal', async () => {
  function Broken(): ReactElement {
    throw new Error('a bug');
  }
  const { terminal, screen } = open(<Broken />);
  assert.is((await errorOf(Error, screen.failed)).message, 'a bug');
  await screen.unmount();
  assert.is(terminal.buffer.alternate, false);
});

test('receives keys one by one, even if they arrive together, and no others', async () => {
  const keys: string[] = [];
  const { terminal, screen } = open(<Hello onKey={(key) => void keys.push(key)} />);
  await waitFor('raw mode', terminal.rawMode);
  // With alt, and an arrow that does nothing here: other keys.
  terminal.type(`?xq${KEYS.up}\u001Bq${KEYS.enter}${KEYS.down}`);
  await waitFor(
    'the arrow',
    () => keys.includes('up'),
    () => keys,
  );
  terminal.type(KEYS.ctrlC);
  await waitFor(
    'the keys',
    () => keys.includes('ctrl-c'),
    () => keys,
  );
  terminal.type(KEYS.escape);
  await waitFor(
    'escape',
    () => keys.includes('esc'),
    () => keys,
  );
  await screen.unmount();
  assert.equal(keys, ['?', 'q', 'up', 'ctrl-c', 'esc']);
});

test('Ctrl-C that arrives with other keys, or twice at once, is not lost', async () => {
  const keys: string[] = [];
  const { terminal, screen } = open(<Hello onKey={(key) => void keys.push(key)} />);
  await waitFor('raw mode', terminal.rawMode);
  terminal.type(`q${KEYS.ctrlC}${KEYS.ctrlC}${KEYS.enter}?`);
  await waitFor(
    'the keys',
    () => keys.length === 4,
    () => keys,
  );
  await screen.unmount();
  assert.equal(keys, ['q', 'ctrl-c', 'ctrl-c', '?']);
});

test('a key that lends the terminal does so once, and what is typed with it is dropped', async () => {
  const keys: string[] = [];
  let works = 0;
  let finish = (): void => undefined;
  const lend = (): void => {
    void screen.lend(() => {
      works += 1;
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
  };
  const { terminal, screen } = open(
    <Hello onKey={(key) => (key === '?' ? lend() : void keys.push(key))} />,
  );
  await waitFor('raw mode', terminal.rawMode);
  terminal.type(`??${KEYS.up}${KEYS.ctrlC}`);
  await waitFor('the work', () => works > 0);
  finish();
  await waitFor('raw mode again', terminal.rawMode);
  terminal.type(KEYS.up);
  await waitFor('a key', () => keys.length > 0);
  await screen.unmount();
  assert.equal([works, keys], [1, ['up']]);
});

/**
 * A terminal that stopped being read in the middle of a frame, until the test reads it. The program can also write to its
 * file directly.
 */
async function openSlow() {
  const path = tempFolder().at('terminal');
  const fd = openSync(path, 'w');
  const terminal = createTerminal(40, 6);
  const unread: (() => void)[] = [];
  let isRead = true;
  const stdout = Object.assign(terminal.stdout, {
    fd,
    _write: (data: string, _: string, done: () => void) => {
      const write = (): void => {
        writeSync(fd, data);
        done();
      };
      if (isRead) write();
      else unread.push(write);
    },
  });
  const screen = mountScreen(<Text>hello</Text>, { stdin: terminal.stdin, stdout, style: STYLE });
  const output = () => readFileSync(path, 'utf8');
  await waitFor('a frame', () => output().includes('hello'), output);
  isRead = false;
  stdout.write('the rest of a frame');
  return {
    screen,
    output,
    read: () => {
      isRead = true;
      for (const write of unread.splice(0)) write();
    },
    close: () => closeSync(fd),
  };
}

const RESTORED = /\?1049l$/u;

test('a slow terminal gets its queued output before it is restored', async () => {
  const { screen, output, read, close } = await openSlow();
  const unmounted = screen.unmount();
  read();
  await unmounted;
  assert.match(output(), /the rest of a frame.*\?1049l$/su);
  assert.is(output().split('?1049l').length, 2);
  close();
});

test('a terminal that was not read for long is restored again after its queued output', async () => {
  const { screen, output, read, close } = await openSlow();
  await screen.unmount();
  // A process that ends now leaves the terminal restored.
  assert.match(output(), RESTORED);
  read();
  assert.match(output(), /the rest of a frame.*\?1049l$/su);
  close();
});

test('a slow terminal is lent after its queued output', async () => {
  const { screen, output, read, close } = await openSlow();
  let before = '';
  const lent = screen.lend(async () => {
    before = output();
  });
  read();
  await lent;
  assert.match(before, /the rest of a frame.*\?1049l$/su);
  await screen.unmount();
  close();
});

test('a terminal that reports an impossible size is filled only in part', async () => {
  const terminal = createTerminal(40, 6);
  const stdout = Object.assign(terminal.stdout, { columns: 65_535, rows: 65_535 });
  let size: unknown;
  function Size(): ReactElement {
    size = useTerminalSize(stdout);
    return <Text>hello</Text>;
  }
  const screen = mountScreen(<Size />, { stdin: terminal.stdin, stdout, style: STYLE });
  await waitForText(terminal, 'hello');
  await screen.unmount();
  assert.equal(size, { columns: 1000, rows: 500 });
});

test.run();
