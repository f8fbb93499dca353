import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NEVER } from '../../../src/engine/support/async.js';
import type {
  SearchScreenActions,
  SearchScreenEnd,
} from '../../../src/ui/screens/search/controller.js';
import { runSearchScreen } from '../../../src/ui/screens/search/run.js';
import type { ResultItem, SearchAnswer } from '../../../src/ui/screens/search/state.js';
import { createStyle } from '../../../src/ui/style.js';
import {
  assertFits,
  assertRestored,
  createTerminal,
  type FakeTerminal,
  KEYS,
  TERMINAL_SIZES,
  waitForText,
} from '../../support/terminal.js';
import { waitFor } from '../../support/wait.js';
import { aResponse, aResult } from './search-builders.js';

interface OpenedScreen {
  readonly terminal: FakeTerminal;
  readonly ended: Promise<SearchScreenEnd>;
  readonly queries: string[];
}

function open(
  columns: number,
  rows: number,
  actions: Partial<SearchScreenActions> = {},
  signal: AbortSignal = NEVER,
): OpenedScreen {
  const terminal = createTerminal(columns, rows);
  const queries: string[] = [];
  terminal.stdout.write('$ svc memory search\n');
  const ended = runSearchScreen({
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    style: createStyle(false),
    memory: 'main',
    signal,
    actions: {
      prepare: async () => undefined,
      isSemantic: false,
      search: async (line, { keywordsOnly }) => {
        if (keywordsOnly) queries.push(line);
        return found({
          query: line,
          results: Array.from({ length: 30 }, (_, at) => aResult(at)),
        });
      },
      preview: async ({ result }) => ({
        startLine: 1,
        text: ['# Title', '', result.path, '', ...result.snippet.split('\n'), '日本語'].join('\n'),
      }),
      copy: async ({ result }, what) => `copied ${what} of ${result.citation}`,
      openFolder: async ({ result }) => `opened the folder of ${result.path}`,
      edit: undefined,
      history: () => [],
      remember: () => undefined,
      explain: (error) => ({ message: error instanceof Error ? error.message : 'unknown' }),
      ...actions,
    },
  });
  return { terminal, ended, queries };
}

function found(
  fields: Parameters<typeof aResponse>[0],
  chips: readonly string[] = [],
): SearchAnswer {
  return { response: aResponse(fields), memory: 'main', chips };
}

function pathOf(item: ResultItem | undefined): string | undefined {
  return item?.result.path;
}

async function leave({ terminal, ended }: OpenedScreen): Promise<void> {
  terminal.type(KEYS.ctrlC);
  assert.equal(await ended, { type: 'left' });
  assertRestored(terminal, '$ svc memory search');
}

for (const [columns, rows] of TERMINAL_SIZES) {
  test(`fits a terminal of ${columns} by ${rows} and restores it`, async () => {
    const opened = open(columns, rows);
    const { terminal } = opened;
    await waitForText(terminal, 'Ask your memory something.');
    terminal.type('backup');
    await waitForText(terminal, '5  We moved');
    const screen = terminal.screen();
    const input = screen.findIndex((line) => line.includes('›'));
    assert.match(screen[0] ?? '', /svc · search +main · keyword/u);
    assert.match(screen[input] ?? '', /› backup {2,}30 of 212 · 4 ms$/u);
    assert.match(screen.join('\n'), /❯ .*#L3-L6 +0\.94 ▇+ +2026-02-03 › Bac/u);
    assert.is(screen.length, rows - 1);
    assert.match(screen.at(-1) ?? '', /⏎ open/u);
    assertFits(terminal);
    const margin = columns < 40 ? 0 : 2;
    assert.equal([terminal.buffer.x, terminal.buffer.y], [margin + 8, input]);
    await leave(opened);
  });
}

test('keeps the frame whole through resizes in both directions', async () => {
  const opened = open(80, 24);
  const { terminal } = opened;
  terminal.type('backup');
  await waitForText(terminal, '6  It took');
  for (const [columns, rows] of [
    [60, 12],
    [200, 40],
    [60, 40],
    [80, 10],
  ] as const) {
    terminal.resize(columns, rows);
    const isWhole = (): boolean =>
      terminal.screen().length === rows - 1 && terminal.screen().join('\n').includes('› backup');
    await waitFor('a whole frame of the new size', isWhole, terminal.screen);
    const screen = terminal.screen();
    assert.match(screen.at(-1) ?? '', /open/u);
    assert.is(screen.filter((line) => line.includes('› backup')).length, 1);
    assert.is(screen.filter((line) => line.includes('───')).length, 1);
  }
  await leave(opened);
});

test('arrows select a result, and Enter opens it', async () => {
  const { terminal, ended } = open(80, 24);
  terminal.type('backup');
  await waitForText(terminal, '❯ memory/note-00.md');
  terminal.type(KEYS.down);
  terminal.type(KEYS.down);
  await waitForText(terminal, '❯ memory/note-02.md');
  terminal.type(KEYS.pageDown);
  await waitFor('a page', () => !terminal.screen().join('\n').includes('❯ memory/note-02.md'));
  terminal.type(KEYS.pageUp);
  await waitForText(terminal, '❯ memory/note-02.md');
  terminal.type(KEYS.up);
  await waitForText(terminal, '❯ memory/note-01.md');
  await waitForText(terminal, '# memory/note-01.md › 2026-02-03 › Backups');
  terminal.type(KEYS.enter);
  const end = await ended;
  assert.is(end.type === 'open' ? pathOf(end.item) : undefined, aResult(1).path);
  assertRestored(terminal, '$ svc memory search');
});

test('Enter pressed before the results arrive opens a result of the typed query', async () => {
  const { terminal, ended } = open(80, 24);
  await waitForText(terminal, 'Ask');
  terminal.type('backup');
  terminal.type(KEYS.enter);
  const end = await ended;
  assert.is(end.type === 'open' ? pathOf(end.item) : undefined, aResult(0).path);
});

test('letters that arrive together act on the list one by one, and are text after /', async () => {
  const opened = open(80, 24);
  const { terminal } = opened;
  terminal.type('day');
  await waitForText(terminal, '❯ memory/note-00.md');
  terminal.type(KEYS.tab);
  await waitForText(terminal, '/ type');
  terminal.type('jjj');
  await waitForText(terminal, '❯ memory/note-03.md');
  terminal.type('kk');
  await waitForText(terminal, '❯ memory/note-01.md');
  await waitForText(terminal, '› day');
  terminal.type('j/ job');
  await waitForText(terminal, '› day job');
  await leave(opened);
});

test('pasted colours leave the screen as it is', async () => {
  const opened = open(80, 24);
  const { terminal } = opened;
  terminal.type('\u001B[31mred\u001B[0m\u001B[99;5~');
  await waitForText(terminal, '› red');
  await leave(opened);
});

test('letters are text while typing and keys in the list, where unknown ones do nothing', async () => {
  const opened = open(80, 24);
  const { terminal } = opened;
  terminal.type('day');
  await waitForText(terminal, '› day');
  await waitForText(terminal, '❯ memory/note-00.md');
  terminal.type(KEYS.tab);
  await waitForText(terminal, '/ type');
  assert.is(terminal.buffer.cursorShown, false);
  terminal.type('y');
  await waitForText(terminal, 'copied citation of memory/note-00.md#L3-L6');
  terminal.type('Y');
  await waitForText(terminal, 'copied passage of memory/note-00.md#L3-L6');
  terminal.type('sp');
  await waitForText(terminal, 'copied path of memory/note-00.md#L3-L6');
  terminal.type('o');
  await waitForText(terminal, 'opened the folder of memory/note-00.md');
  terminal.type('/s');
  await waitForText(terminal, '› days');
  assert.is(terminal.buffer.cursorShown, true);
  terminal.type(KEYS.ctrlY);
  await waitForText(terminal, 'copied citation of memory/note-00.md#L3-L6');
  await leave(opened);
});

test('the passage is next to the list where there is room', async () => {
  const opened = open(140, 24);
  const { terminal } = opened;
  terminal.type('backup');
  await waitForText(terminal, '5  We moved');
  const screen = terminal.screen();
  assert.match(screen.find((line) => line.includes('❯')) ?? '', /❯ memory.*# memory\/note-00\.md/u);
  await leave(opened);
});

test('the passage scrolls, and n and N visit its matches', async () => {
  const lines = Array.from({ length: 80 }, (_, at) =>
    at === 4 || at === 60 ? `line ${at + 1} with a backup` : `line ${at + 1}`,
  );
  const opened = open(80, 24, { preview: async () => ({ startLine: 1, text: lines.join('\n') }) });
  const { terminal } = opened;
  terminal.type('backup');
  await waitForText(terminal, '3  line 3');
  terminal.type('\u001B[1;2B');
  await waitFor('a row further', () => !terminal.screen().join('\n').includes('3  line 3'));
  terminal.type(`${KEYS.tab}n`);
  await waitForText(terminal, 'match 1 of 2');
  terminal.type('n');
  await waitForText(terminal, '61  line 61 with a backup');
  terminal.type('N');
  await waitForText(terminal, 'match 1 of 2');
  await leave(opened);
});

test('ctrl-e explains the score', async () => {
  const explanation = {
    textShare: 0.3,
    vectorShare: 0.7,
    similarity: 0.61,
    decay: null,
    diversity: null,
  };
  const result = { ...aResult(0), vectorScore: 0.94, explanation };
  const opened = open(100, 24, { search: async () => found({ results: [result] }) });
  const { terminal } = opened;
  terminal.type('backup');
  await waitForText(terminal, '5  We moved');
  terminal.type('\u0005');
  await waitForText(terminal, 'keyword 0.88 (weight 0.3), vector 0.94 (weight 0.7)');
  terminal.type('\u0005');
  await waitFor('no explanation', () => !terminal.screen().join('\n').includes('weight'));
  await leave(opened);
});

test('the editor gets the terminal, and the list returns afterwards', async () => {
  const edited: (string | undefined)[] = [];
  let close: (() => void) | undefined;
  const opened = open(80, 24, {
    edit: (item) =>
      new Promise((resolve) => {
        edited.push(pathOf(item));
        close = resolve;
      }),
  });
  const { terminal, queries } = opened;
  terminal.type('backup');
  await waitForText(terminal, '❯ memory/note-00.md');
  terminal.type(KEYS.down);
  terminal.type(KEYS.enter);
  await waitFor('the editor', () => close !== undefined);
  assert.equal(edited, ['memory/note-01.md']);
  assert.is(terminal.buffer.alternate, false);
  assert.is(terminal.rawMode(), false);
  close?.();
  await waitForText(terminal, '❯ memory/note-01.md');
  assert.is(terminal.buffer.alternate, true);
  terminal.type('s');
  await waitFor('another search', () => queries.includes('backups'));
  await leave(opened);
});

test('an editor that fails is reported in the last line', async () => {
  const opened = open(80, 24, { edit: () => Promise.reject(new Error('no such editor')) });
  const { terminal } = opened;
  terminal.type('backup');
  await waitForText(terminal, '❯ memory/note-00.md');
  terminal.type(KEYS.enter);
  await waitForText(terminal, 'no such editor');
  await leave(opened);
});

test('↑ in an empty input steps through earlier queries; queries that led to an open are kept', async () => {
  const remembered: string[] = [];
  const opened = open(80, 24, {
    history: () => ['newest', 'older'],
    remember: (line) => remembered.push(line),
  });
  const { terminal } = opened;
  await waitForText(terminal, 'Ask');
  terminal.type(KEYS.up);
  await waitForText(terminal, '› newest');
  terminal.type(KEYS.up);
  terminal.type(KEYS.up);
  await waitForText(terminal, '› older');
  terminal.type('\u000E');
  await waitForText(terminal, '› newest');
  terminal.type('\u000E');
  await waitForText(terminal, 'Ask');
  terminal.type('mine');
  await waitForText(terminal, '❯ memory/note-00.md');
  terminal.type(KEYS.down);
  await waitForText(terminal, '❯ memory/note-01.md');
  terminal.type(KEYS.ctrlY);
  await waitForText(terminal, 'copied');
  assert.equal(remembered, ['mine']);
  await leave(opened);
});

test('filters are in the header, and without words ask for some', async () => {
  const opened = open(100, 24, {
    search: async (line) =>
      line === '#work'
        ? { response: undefined, memory: 'main', chips: ['#work'] }
        : found({ query: line }, ['#work', '@7d']),
  });
  const { terminal } = opened;
  terminal.type('#work');
  await waitForText(terminal, 'Add words to search for.');
  assert.match(terminal.screen()[0] ?? '', /main · keyword · #work$/u);
  terminal.type(' @7d roof');
  await waitForText(terminal, 'main · keyword · #work · @7d');
  await leave(opened);
});

test('the first index shows its progress at once', async () => {
  let finish: (() => void) | undefined;
  const opened = open(80, 24, {
    prepare: (_, onEvent) => {
      const scanned = { files: 40, bytes: 400, filesToIndex: 40, workToIndex: 400 };
      onEvent({ type: 'scan.finished', ...scanned } as Parameters<typeof onEvent>[0]);
      onEvent({ type: 'document.indexed', path: 'a.md', work: 100, chunks: 7 });
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
  });
  await waitForText(opened.terminal, 'indexing');
  await waitForText(opened.terminal, '1/40');
  await waitForText(opened.terminal, '7 chunks');
  finish?.();
  await leave(opened);
});

test('the latest query wins, however late older results arrive', async () => {
  const answers = new Map<string, () => void>();
  const aborted: string[] = [];
  const opened = open(80, 24, {
    search: (query, { signal, keywordsOnly }) =>
      new Promise((resolve) => {
        if (!keywordsOnly) return;
        signal.addEventListener('abort', () => aborted.push(query));
        const result = { ...aResult(0), path: `${query}.md` };
        answers.set(query, () => resolve(found({ query, results: [result] })));
      }),
  });
  const { terminal } = opened;
  terminal.type('old');
  await waitFor('the first search', () => answers.has('old'));
  terminal.type('er');
  await waitFor('the second search', () => answers.has('older'));
  assert.equal(aborted, ['old']);
  answers.get('older')?.();
  await waitForText(terminal, '❯ older.md');
  answers.get('old')?.();
  terminal.type(KEYS.tab);
  await waitForText(terminal, '/ type');
  assert.match(terminal.screen().join('\n'), /❯ older\.md/u);
  await leave(opened);
});

test('the provider is asked once, after a pause; late quick results never replace full ones', async () => {
  const semanticQueries: string[] = [];
  let finishQuick: (() => void) | undefined;
  let finishWhole: (() => void) | undefined;
  const at = (path: string, fields: Parameters<typeof aResponse>[0] = {}): SearchAnswer =>
    found({ results: [{ ...aResult(0), path }], ...fields });
  const opened = open(100, 24, {
    isSemantic: true,
    search: (line, { keywordsOnly }) =>
      new Promise((resolve) => {
        if (keywordsOnly) {
          // Only that for the whole question is held back.
          if (line !== 'cars') resolve(at('quick.md'));
          else finishQuick = () => resolve(at('late.md'));
          return;
        }
        semanticQueries.push(line);
        const warnings = [
          { code: 'PROVIDER_FALLBACK', message: 'gemini embedded instead\u001B[2J' } as const,
        ];
        finishWhole = () => resolve(at('whole.md', { mode: 'hybrid', warnings }));
      }),
  });
  const { terminal } = opened;
  terminal.type('car');
  await waitForText(terminal, '❯ quick.md');
  terminal.type('s');
  await waitForText(terminal, 'semantic search …');
  assert.equal(semanticQueries, ['cars']);
  finishWhole?.();
  await waitForText(terminal, '❯ whole.md');
  assert.match(terminal.screen().join('\n'), /─ gemini embedded instead\\e\[2J ──/u);
  assert.not.match(terminal.screen().join('\n'), /semantic search/u);
  assert.match(terminal.screen()[0] ?? '', /main · hybrid$/u);
  finishQuick?.();
  terminal.type(KEYS.tab);
  await waitForText(terminal, '/ type');
  assert.match(terminal.screen().join('\n'), /❯ whole\.md/u);
  await leave(opened);
});

test('a result shows how many passages say the same', async () => {
  const result = { ...aResult(0), similarCount: 5 };
  const opened = open(100, 24, { search: async () => found({ results: [result] }) });
  opened.terminal.type('backup');
  await waitForText(opened.terminal, '5 more like this · 2026-02-03 › Backups');
  await leave(opened);
});

test('the error of a failed search is shown and disappears with the next results', async () => {
  let failing = true;
  const opened = open(80, 24, {
    search: async (query) => {
      if (failing) throw new Error('the index is locked');
      return found({ query, results: [aResult(0)] });
    },
    explain: (error) => ({
      message: error instanceof Error ? error.message : 'unknown',
      hint: 'wait for it',
    }),
  });
  const { terminal } = opened;
  terminal.type('a');
  await waitForText(terminal, 'the index is locked');
  await waitForText(terminal, '→ wait for it');
  failing = false;
  terminal.type('b');
  await waitForText(terminal, '❯ memory/note-00.md');
  assert.not.ok(terminal.screen().join('\n').includes('locked'));
  await leave(opened);
});

test('keyword results stay when the full search fails, and its error is shown', async () => {
  const opened = open(80, 24, {
    isSemantic: true,
    search: async (query, { keywordsOnly }) => {
      if (!keywordsOnly) throw new Error('the provider is down');
      return found({ query, results: [aResult(0)] });
    },
  });
  const { terminal } = opened;
  terminal.type('a');
  await waitForText(terminal, 'the provider is down');
  assert.match(terminal.screen().join('\n'), /❯ memory\/note-00\.md/u);
  assert.not.match(terminal.screen().join('\n'), /semantic search/u);
  await leave(opened);
});

test('says when nothing matches, and shows a hint when nothing is typed', async () => {
  const opened = open(80, 24, { search: async (query) => found({ query, results: [] }) });
  const { terminal } = opened;
  terminal.type('zzz');
  await waitForText(terminal, 'No matches');
  terminal.type(KEYS.ctrlU);
  await waitForText(terminal, 'Ask your memory something.');
  await leave(opened);
});

test('in an empty memory, says where notes belong instead of asking for other words', async () => {
  const message = 'nothing is indexed yet';
  const warnings = [
    { code: 'INDEX_EMPTY', message, hint: 'put Markdown files into /notes' } as const,
  ];
  const opened = open(80, 24, { search: async (query) => found({ query, results: [], warnings }) });
  const { terminal } = opened;
  terminal.type('zzz');
  await waitForText(terminal, '→ put Markdown files into /notes');
  await waitForText(terminal, message);
  assert.not.match(terminal.screen().join('\n'), 'other words');
  await leave(opened);
});

test('? lists the keys when nothing is typed, Esc goes back and then quits', async () => {
  const { terminal, ended } = open(80, 24);
  await waitForText(terminal, '? keys');
  terminal.type('?');
  await waitForText(terminal, 'copy the citation');
  assert.not.match(terminal.screen().join('\n'), '…', 'no line is cut');
  terminal.type(KEYS.escape);
  await waitForText(terminal, 'Ask your memory something.');
  terminal.type(KEYS.escape);
  assert.equal(await ended, { type: 'left' });
  assertRestored(terminal, '$ svc memory search');
});

test('a paste is text: its line breaks and letters do not act as keys', async () => {
  const opened = open(80, 24);
  const { terminal, queries } = opened;
  await waitForText(terminal, 'Ask');
  terminal.type(`${KEYS.pasteBegins}two\rlines?${KEYS.pasteEnds}`);
  await waitForText(terminal, '› two lines?');
  await waitForText(terminal, '❯ memory/note-00.md');
  assert.equal(queries, ['two lines?']);
  await leave(opened);
});

test('hostile names and lines are escaped', async () => {
  const hostile = {
    ...aResult(0),
    path: 'memory/\u001B[2J\n\u202Egpj.md',
    headingPath: ['\u001B]0;title\u0007'],
    snippet: '\u001B[31mred\u009B2J',
    snippetLine: 3,
    highlights: [{ start: 0, end: 5 }],
  };
  const opened = open(100, 24, {
    search: async (query) => found({ query, results: [hostile] }),
    preview: async () => ({ startLine: 3, text: '\u001B[31mred\u009B2J' }),
  });
  opened.terminal.type('x');
  // The buffer of the test throws on any sequence that the screen does not use itself.
  await waitForText(opened.terminal, '3  \\e[31mred\\x9b2J');
  await waitForText(opened.terminal, 'memory/\\e[2J\\n\\u{202e}gpj.md');
  await leave(opened);
});

test('an outside signal ends the screen and restores the terminal', async () => {
  const controller = new AbortController();
  const { terminal, ended } = open(80, 24, {}, controller.signal);
  await waitForText(terminal, 'Ask');
  controller.abort();
  assert.equal(await ended, { type: 'left' });
  assertRestored(terminal, '$ svc memory search');
});

test.run();
