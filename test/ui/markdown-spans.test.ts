import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { markdownSpans } from '../../src/ui/screens/search/passage.js';

const test = suite('parts of Markdown');

function partsOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return markdownSpans(lines).flatMap((spans, at) =>
    spans.map(({ kind, start, end }) => `${kind} ${lines[at]?.slice(start, end)}`),
  );
}

test('headings, code, links and bold text', () => {
  assert.equal(partsOf('## Backups'), ['heading ## Backups']);
  assert.equal(partsOf('run `svc index` on **Monday**, see [docs](a/b.md) or [[Note|it]]'), [
    'code `svc index`',
    'strong **Monday**',
    'link [docs](a/b.md)',
    'link [[Note|it]]',
  ]);
  assert.equal(partsOf('at https://example.com/a?b=c.'), ['link https://example.com/a?b=c.']);
});

test('a fence makes everything code until it ends', () => {
  assert.equal(partsOf('```sh\n# no heading\n```\n# heading'), [
    'code ```sh',
    'code # no heading',
    'code ```',
    'heading # heading',
  ]);
  assert.equal(partsOf('````md\n```\n````\n# heading'), [
    'code ````md',
    'code ```',
    'code ````',
    'heading # heading',
  ]);
});

test('plain text has no spans', () => {
  for (const text of ['#tag', '2 * 3 * 4', 'snake_case_name', '[ ] a task', '`', '']) {
    assert.equal(partsOf(text), [], text);
  }
});

test('spans are in order and inside their line, for any text', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom(...'#`*_[]() a~:/h') })), (lines) => {
      for (const [at, spans] of markdownSpans(lines).entries()) {
        let last = 0;
        for (const { start, end } of spans) {
          assert.ok(start >= last && end >= start && end <= (lines[at]?.length ?? 0));
          last = end;
        }
      }
    }),
  );
});

test.run();
