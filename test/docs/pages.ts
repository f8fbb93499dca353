import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package folder, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A page of documentation. */
export interface Page {
  /** Relative to the package folder. */
  readonly path: string;
  readonly text: string;
}

/** A fenced block of a page. */
export interface Fence {
  readonly language: string;
  readonly text: string;
}

const FENCE = /^```(\S*)[^\n]*\n(.*?)^```$/gms;
const CODE_SPAN = /(`+)(?!`)(.+?)(?<!`)\1(?!`)/gs;

/** Every page that is committed. */
export function allPages(): readonly Page[] {
  const docs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const paths = [
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    ...docs.map((name) => `docs/${name}`),
  ];
  return paths.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** The fenced blocks of a page. */
export function fencesOf(text: string): readonly Fence[] {
  return [...text.matchAll(FENCE)].map(([, language = '', body = '']) => ({
    language,
    text: body,
  }));
}

/** Inline code of a page: text between backticks, outside of fenced blocks. */
export function codeSpansOf(text: string): readonly string[] {
  const spans = text.replaceAll(FENCE, '').matchAll(CODE_SPAN);
  return [...spans].map(([, , code = '']) => code.trim());
}

/** The targets of a page's links and pictures. */
export function linksOf(text: string): readonly string[] {
  const bare = text.replaceAll(FENCE, '').replaceAll(CODE_SPAN, '');
  const markdown = [...bare.matchAll(/\]\(([^)\s]+)\)/g)];
  const html = [...bare.matchAll(/\b(?:src|href)="([^"]+)"/g)];
  return [...markdown, ...html].map(([, target = '']) => target);
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(text: string): readonly string[] {
  const seen = new Map<string, number>();
  return [...text.replaceAll(FENCE, '').matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) => {
    const slug = title
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
}

/** Whether a path below the package folder is there. */
export function isThere(path: string): boolean {
  return existsSync(join(ROOT, path));
}
