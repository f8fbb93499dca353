import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SyncEvent } from '../../../src/engine/memory/sync/index.js';
import { ScreenContext } from '../../../src/ui/components/rows.js';
import { createState } from '../../../src/ui/components/store.js';
import { WorkScreen } from '../../../src/ui/components/work-screen.js';
import type { ProviderEvent } from '../../../src/ui/memory/embed-progress.js';
import { reduceSync, startSyncProgress } from '../../../src/ui/memory/sync-progress.js';
import { syncRows } from '../../../src/ui/screens/index/view.js';
import { createStyle } from '../../../src/ui/style.js';
import { render } from '../../support/render-view.js';
import { createTerminal, KEYS } from '../../support/terminal.js';
import { waitFor } from '../../support/wait.js';

/** The view alone, in ink's own test renderer; index-screen.test.tsx runs it on a terminal. */
const test = suite('the view of the index screen');

const STYLE = createStyle(false);

function renderIndexView() {
  const store = createState({ progress: startSyncProgress(0), isStopping: false });
  const stops: number[] = [];
  const view = render(
    <ScreenContext value={{ stdout: createTerminal(80, 24).stdout, style: STYLE }}>
      <WorkScreen
        store={store}
        title="svc · index · main"
        facts={() => []}
        lines={(area) => syncRows(store.getSnapshot().progress, STYLE, area)}
        onStop={() => stops.push(1)}
      />
    </ScreenContext>,
  );
  const emit = (event: SyncEvent, atMs: number): void =>
    store.dispatch({ progress: reduceSync(store.getSnapshot().progress, event, atMs) });
  const rows = (most: number): readonly string[] =>
    syncRows(store.getSnapshot().progress, STYLE, { columns: 80, rows: most });
  return { view, emit, stops, rows, frame: () => view.lastFrame() ?? '' };
}

test('events are shown at once, and those before the first frame are not missed', async () => {
  const { view, emit, frame } = renderIndexView();
  emit({ type: 'scan.finished', files: 4, bytes: 4000, filesToIndex: 4, workToIndex: 4000 }, 100);
  emit({ type: 'document.indexed', path: 'memory/a.md', work: 2000, chunks: 3 }, 200);
  await waitFor('the current file', () => frame().includes('memory/a.md'), frame);
  assert.match(frame(), '4 files');
  assert.match(frame(), '1/4');
  view.unmount();
});

test('what is archived is shown until the files are counted', () => {
  const { view, emit, rows } = renderIndexView();
  const scan = () => rows(10)[0]?.trim().replaceAll(/ +/g, ' ');
  emit({ type: 'archive.updated', conversations: 1300, fraction: 0.43 }, 100);
  assert.match(scan() ?? '', 'scan archiving conversations: 1,300 · 43 %');
  emit({ type: 'scan.finished', files: 4, bytes: 0, filesToIndex: 4, workToIndex: 4000 }, 200);
  assert.is(scan(), '✓ scan 4 files 0.2 s');
  view.unmount();
});

test('removed files are counted while more are to be removed', () => {
  const { view, emit, rows } = renderIndexView();
  const removal = (removed: number): SyncEvent => {
    return { type: 'document.removed', path: 'a.md', removed, toRemove: 20_000 };
  };
  emit({ type: 'scan.finished', files: 4, bytes: 4000, filesToIndex: 0, workToIndex: 0 }, 100);
  emit(removal(2000), 200);
  emit({ type: 'batch.committed', documents: 0 }, 200);
  assert.match(rows(10)[2] ?? '', 'removed 2,000 of 20,000 files');
  emit(removal(20_000), 300);
  assert.not.match(rows(10)[2] ?? '', 'removed');
  view.unmount();
});

test('while only passages are embedded, no count of written files looks like a loss', () => {
  const { view, emit, rows } = renderIndexView();
  emit({ type: 'scan.finished', files: 4, bytes: 4000, filesToIndex: 0, workToIndex: 0 }, 100);
  const embedding = { provider: 'voyage', model: 'voyage-4', passages: 3, known: 0 };
  emit({ type: 'embed.started', ...embedding }, 200);
  assert.equal(
    rows(10)
      .slice(0, 3)
      .map((row) => row.trim().replaceAll(/ +/g, ' ')),
    ['✓ scan 4 files 4.0 kB 0.1 s', '✓ chunk nothing to index', '✓ write'],
  );
  view.unmount();
});

test('keys that arrive together after a blocked event loop all count', async () => {
  const { view, stops, frame } = renderIndexView();
  await waitFor('the first frame', () => frame().includes('main'), frame);
  view.stdin.write(`?${KEYS.ctrlC}q`);
  await waitFor('both', () => stops.length === 2);
  await waitFor('the keys', () => frame().includes('quit now'), frame);
  assert.match(frame(), 'keeps finished work or the old index');
  view.unmount();
});

test('while passages are embedded, a retry and its reason are shown, and finished steps make room', () => {
  const { view, emit, rows } = renderIndexView();
  emit({ type: 'scan.finished', files: 1, bytes: 9, filesToIndex: 1, workToIndex: 9 }, 100);
  emit({ type: 'document.indexed', path: 'memory/a.md', work: 9, chunks: 3 }, 200);
  emit({ type: 'publish.started' }, 300);
  assert.match(rows(9).join('\n'), 'publishing the new index');
  emit({ type: 'embed.started', provider: 'corp', model: 'm', passages: 3, known: 0 }, 400);
  assert.not.match(rows(9).join('\n'), 'publishing');
  const provider = (event: ProviderEvent): void => emit({ type: 'embed.provider', event }, 500);
  provider({ type: 'request.retried', why: 'connection refused', waitMs: 100 });
  assert.match(rows(9).join('\n'), 'trying again after "connection refused"');
  assert.equal(
    rows(4).map((row) => row.slice(0, 7)),
    ['✓ write', '● embed', '       ', ''],
  );
  provider({ type: 'request.finished', tokens: 2 });
  assert.not.match(rows(9).join('\n'), 'trying again');
  view.unmount();
});

test.run();
