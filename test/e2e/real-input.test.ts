import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scanMemoryFiles } from '../../src/engine/memory/sources/memory-files.js';
import { backendOn, targetOf } from '../support/memory.js';
import { ROOT } from '../support/run-svc.js';

const test = suite('real Markdown files');

/** Only nested node_modules are skipped, so the packages' own documentation is all there. */
const FOLDER = join(ROOT, 'node_modules');

interface Heading {
  readonly path: string;
  readonly title: string;
}

/** Headings of a few words, spread over all files. */
function headingsOf(workspaceDir: string, paths: readonly string[], wanted: number): Heading[] {
  const found: Heading[] = [];
  const step = Math.max(1, Math.floor(paths.length / (wanted * 2)));
  for (let at = 0; at < paths.length && found.length < wanted; at += step) {
    const path = paths[at] ?? '';
    const text = readFileSync(join(workspaceDir, path), 'utf8');
    const title = /^##? +([\w ,'-]{12,60})$/m.exec(text)?.[1]?.trim();
    if (title !== undefined && title.split(/\s+/).length >= 3) found.push({ path, title });
  }
  return found;
}

test('the documentation of all installed packages is indexed, and found by its headings', async () => {
  const target = targetOf(FOLDER);
  const backend = backendOn(target);
  const summary = await backend.sync({});
  assert.equal(
    summary.skipped.filter((skip) => skip.reason !== 'symlink'),
    [],
  );
  const { files } = scanMemoryFiles(target.sources.memory);
  assert.is(summary.added, files.length);
  const headings = headingsOf(
    FOLDER,
    files.map((file) => file.path),
    60,
  );
  for (const { path, title } of headings) {
    const { results } = await backend.search({ query: `"${title}"`, pathGlob: escapeGlob(path) });
    const isFound = results.some(
      (result) => result.snippet.includes(title) || result.headingPath.join('\n').includes(title),
    );
    assert.ok(isFound, `${path}: ${title}`);
    for (const result of results) {
      assert.ok(result.score >= 0 && result.score <= 1);
      await backend.get({ target: result.citation ?? '' });
    }
  }
  const again = await backend.sync({});
  assert.equal([again.outcome, again.unchanged], ['unchanged', files.length]);
  await backend.close();
});

/** A pattern that matches this path alone. */
function escapeGlob(path: string): string {
  return path.replaceAll(/[^\w/]/g, '\\$&');
}

test.run();
