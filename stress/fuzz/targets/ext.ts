import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { locateHits } from '../../../src/engine/memory/backends/ext/locate-hits.js';
import { ToolFailure } from '../../../src/engine/memory/backends/ext/tool/open-tool.js';
import { readAnswer } from '../../../src/engine/memory/backends/ext/tool/read-answer.js';
import { NOTHING_FORGOTTEN } from '../../../src/engine/memory/forgotten/index.js';
import { folderOf } from '../../../test/support/temp-folder.js';
import { cpuMs } from '../cpu-time.js';
import { type OpenTarget, openTarget } from '../target.js';

const inputSchema = z.object({ before: z.string(), answer: z.string(), after: z.string() });

const PATHS = [
  'notes/a.md',
  'notes/A-B.md',
  'qmd://notes/sub/c.md',
  'notes/../../../etc/passwd',
  'notes/',
  '/etc/passwd',
  'elsewhere/a.md',
];
const SNIPPETS = [
  '@@ -1,3 @@ (0 before, 2 after)\n# Boats\n\nThe boat is blue.',
  '4: @@ -3,1 @@ (2 before, 0 after)\n5: The boat is bl...',
  '@@ -999999999,1 @@\nnothing like it',
  '',
];

const row = fc.record(
  {
    docid: fc.oneof(fc.constantFrom('#844aea', '', '#zz'), fc.anything()),
    score: fc.oneof(fc.double(), fc.anything()),
    file: fc.oneof(fc.constantFrom(...PATHS), fc.string(), fc.anything()),
    line: fc.oneof(fc.integer(), fc.anything()),
    snippet: fc.oneof(fc.constantFrom(...SNIPPETS), fc.string({ unit: 'grapheme' })),
  },
  { requiredKeys: [] },
);
const noise = fc.oneof(
  fc.constant(''),
  fc.string(),
  fc.constantFrom('[1/2] notes\n', '\u001B]9;4;3\u0007', 'No results found.\n', '[[[[', '{"a":[}'),
);
const answer = fc
  .tuple(fc.array(fc.oneof(row, fc.anything())), fc.nat(), fc.boolean())
  .map(([rows, cutAt, isCut]) => {
    const text = JSON.stringify(rows) ?? '';
    return isCut ? text.slice(0, cutAt % (text.length + 1)) : text;
  });

const LONGEST_MS = 5000;

/** Output of an external search program: gives results that are in their files, or a SvcError. */
export async function openExtTarget(): Promise<OpenTarget> {
  const folder = folderOf({
    'a.md': '# Boats\n\nThe boat is blue.\n',
    'a b.md': 'The boat is red.\n',
    'sub/c.md': '- one\n- two\n',
  });
  const options = {
    collections: [
      { name: 'notes', root: folder.path, pattern: '**/*.md', source: 'memory' as const },
    ],
    workspaceDir: folder.path,
    citations: 'on' as const,
    chunking: { tokens: 400, overlap: 80 },
    forgotten: NOTHING_FORGOTTEN,
    maxResults: 6,
    maxSnippetChars: 450,
    maxInjectedChars: 2200,
  };
  return openTarget({
    inputs: fc.record({ before: noise, answer, after: noise }),
    schema: inputSchema,
    check: (input) => {
      const started = cpuMs();
      try {
        const hits = readAnswer(input.before + input.answer + input.after);
        const { results } = locateHits(hits, { query: 'blue boat' }, options);
        for (const { path, startLine, endLine, snippet, score } of results) {
          const lines = readFileSync(join(folder.path, path), 'utf8').split('\n');
          const cited = lines.slice(startLine - 1, endLine).join('\n');
          if (!cited.startsWith(snippet.replace(/…$/u, ''))) throw new Error(`not in ${path}`);
          if (!(score >= 0 && score <= 1)) throw new Error(`a score of ${score}`);
        }
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error;
        if (error.message.length > 2000) throw new Error('an overlong message');
      }
      if (cpuMs() - started > LONGEST_MS) throw new Error('it took seconds');
    },
  });
}
