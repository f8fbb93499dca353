import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { COMMANDS } from './command-line.js';
import { AVOIDED } from './glossary.js';
import { allPages, ROOT } from './pages.js';

/** Files with words of others, or with text that nobody reads. */
const ALLOWED: readonly { readonly path: string; readonly found: RegExp; readonly why: string }[] =
  [
    {
      path: 'src/engine/dreaming/claims/gist-words.ts',
      found: /./,
      why: 'words to recognize in notes',
    },
  ];

interface Text {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** The lines of every page. */
function pageLines(): readonly Text[] {
  return allPages().flatMap(({ path, text }) =>
    text.split('\n').map((line, at) => ({ path, line: at + 1, text: line })),
  );
}

/** The lines of the files that users copy. */
function sampleLines(): readonly Text[] {
  return readdirSync(join(ROOT, 'docs/samples')).flatMap((name) =>
    readFileSync(join(ROOT, 'docs/samples', name), 'utf8')
      .split('\n')
      .map((text, at) => ({ path: `docs/samples/${name}`, line: at + 1, text })),
  );
}

/** The strings, templates and JSX texts of every source file. */
function sourceTexts(): readonly Text[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((name) => textsOf(`src/${name}`, readFileSync(join(ROOT, 'src', name), 'utf8')));
}

function textsOf(path: string, source: string): readonly Text[] {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, kind);
  const texts: Text[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (isText(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      texts.push({ path, line: line + 1, text: node.text });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return texts;
}

function isText(node: ts.Node): node is ts.LiteralLikeNode {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddle(node) ||
    ts.isTemplateTail(node) ||
    ts.isJsxText(node)
  );
}

function findingsIn(texts: readonly Text[]): readonly string[] {
  return texts.flatMap(({ path, line, text }) =>
    AVOIDED.flatMap(([found, instead]) => {
      const match = found.exec(text);
      if (match === null || isAllowed(path, text)) return [];
      const around = text.slice(Math.max(0, match.index - 30), match.index + 40);
      return `${path}:${line}: "${match[0]}" (${instead}) in "${around.replaceAll(/\s+/g, ' ')}"`;
    }),
  );
}

function isAllowed(path: string, text: string): boolean {
  return ALLOWED.some((allowed) => allowed.path === path && allowed.found.test(text));
}

const SOURCE_TEXTS = sourceTexts();

test('the documentation uses common words', () => {
  assert.equal(findingsIn(pageLines()), []);
});

test('the samples use common words', () => {
  assert.equal(findingsIn(sampleLines()), []);
});

test('help, messages and screens use common words', () => {
  assert.equal(findingsIn(SOURCE_TEXTS), []);
});

test('what looks like a command in a message is one: hints add flags to it', () => {
  const names = COMMANDS.flatMap(({ id, aliases }) => [id.replaceAll(':', ' '), ...aliases]);
  const known = new RegExp(`^(?:${names.join('|')})\\b`, 'u');
  const unknown = SOURCE_TEXTS.flatMap(({ path, line, text }) =>
    Array.from(text.matchAll(/(?:"|: )svc (?<words>[a-z][^"]*)/gu), ({ groups }) => {
      return { path, line, words: groups?.['words'] ?? '' };
    }),
  ).filter(({ words }) => !known.test(words));
  assert.equal(unknown, []);
});

test('every exception is needed', () => {
  for (const { path, found } of ALLOWED) {
    const allowed = SOURCE_TEXTS.filter((text) => text.path === path && found.test(text.text));
    assert.ok(
      allowed.some(({ text }) => AVOIDED.some(([avoided]) => avoided.test(text))),
      path,
    );
  }
});

test('the check finds violations', () => {
  const found = (source: string): number => findingsIn(textsOf('src/a.tsx', source)).length;
  assert.is(found(`error('the file lies elsewhere');`), 1);
  assert.is(found('hint(`it is no folder`);'), 1);
  assert.is(found('const screen = <Text>built anew</Text>;'), 1);
  assert.is(found(`import { lies } from './lies.js';`), 0);
  assert.is(found(`error('there is no file, and it is no longer needed');`), 0);
  assert.is(found(`error('10 000 files');`), 1);
});

test.run();
