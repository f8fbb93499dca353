import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** A regular expression in the source. */
export interface SourceRegex {
  /** The first file that contains it, below src. */
  readonly file: string;
  /** As written: `/a+$/u`, or the whole call if it is constructed. */
  readonly text: string;
  /** Undefined if it is constructed at run time. */
  readonly regex: RegExp | undefined;
}

/** Expressions whose time grows faster than their input, and why that is harmless. */
export const HARMLESS_REGEXES: Readonly<Record<string, string>> = {
  '/\\B(?=(?:\\d{3})+$)/g': 'only gets the digits of a number of ours',
};

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));
const LITERAL = /^\/(.*)\/([a-z]*)$/su;

/** Every distinct regular expression in the source. */
export function sourceRegexes(): readonly SourceRegex[] {
  const found = new Map<string, SourceRegex>();
  for (const file of readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.tsx?$/u.test(file)) continue;
    const text = readFileSync(join(SOURCE, file), 'utf8');
    const visit = (node: ts.Node): void => {
      const regex = regexAt(node);
      if (regex !== undefined && !found.has(regex.text)) {
        found.set(regex.text, { file: file.replaceAll('\\', '/'), ...regex });
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  }
  return [...found.values()];
}

function regexAt(node: ts.Node): Omit<SourceRegex, 'file'> | undefined {
  if (ts.isRegularExpressionLiteral(node)) {
    const [, source = '', flags = ''] = LITERAL.exec(node.text) ?? [];
    return { text: node.text, regex: new RegExp(source, flags) };
  }
  const isBuilt = ts.isNewExpression(node) || ts.isCallExpression(node);
  if (!isBuilt || node.expression.getText() !== 'RegExp') return undefined;
  return { text: node.getText().replaceAll(/\s+/gu, ' '), regex: undefined };
}
