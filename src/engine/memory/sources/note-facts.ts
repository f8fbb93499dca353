import { createRequire } from 'node:module';
import type * as yaml from 'yaml';
import { messageOf } from '../../errors/index.js';
import { CodeFences } from '../../support/code-fences.js';
import { dayNumber } from '../../support/day.js';
import { firstChars, folded } from '../../support/text.js';
import type { FactValue, NoteFacts } from '../types.js';
import { withoutInlineCode } from './inline-code.js';
import { joinedLines, lineAt, type TextLines } from './text-lines.js';

/** Longer front matter is not read. */
const MOST_LINES = 500;
const MOST_CHARACTERS = 32_000;
const MOST_PROPERTIES = 200;
const MOST_TAGS = 200;
const LONGEST_VALUE = 500;
/** The parser calls itself for each level: thousands end the process. */
const MOST_BRACKETS = 200;
const MOST_MARKS = 60;
/** How deep keys of keys are properties, as `author.name`. */
const MOST_DEPTH = 3;
/** More repetitions of anchors than any note needs; each can multiply the size of the others. */
const MOST_ALIASES = 50;

/**
 * What a note says about itself: the properties of its front matter, and its tags, also those in the text. Undefined
 * if there is nothing.
 */
export function noteFacts(lines: TextLines): NoteFacts | undefined {
  const end = frontMatterEnd(lines);
  const isYaml = end !== undefined && lines.text.startsWith('---');
  const matter = isYaml ? readFrontMatter(joinedLines(lines, 1, end)) : {};
  const tags = [...tagsOf(matter.properties), ...tagsInText(lines, end ?? 0)];
  const facts: NoteFacts = {
    ...matter,
    ...(tags.length === 0 ? {} : { tags: [...new Set(tags)].slice(0, MOST_TAGS) }),
  };
  return Object.keys(facts).length === 0 ? undefined : facts;
}

/** The line of the closing marker of YAML or TOML, from 0; undefined without front matter. */
export function frontMatterEnd(lines: TextLines): number | undefined {
  const opening = lineAt(lines, 0).trimEnd();
  if (opening !== '---' && opening !== '+++') return undefined;
  for (let at = 1; at < Math.min(lines.count, MOST_LINES); at++) {
    const line = lineAt(lines, at).trimEnd();
    if (line === opening || (opening === '---' && line === '...')) return at;
  }
  return undefined;
}

function readFrontMatter(text: string): Pick<NoteFacts, 'day' | 'fault' | 'properties'> {
  if (text.length > MOST_CHARACTERS) return { fault: `longer than ${MOST_CHARACTERS} characters` };
  if (isNestedDeeply(text)) return { fault: 'nested too deeply' };
  try {
    const value = parseYaml(text);
    if (value === null || value === undefined) return {};
    if (typeof value !== 'object' || Array.isArray(value)) return { fault: 'not a list of keys' };
    const properties: Record<string, FactValue> = Object.create(null);
    collect(value, '', 1, properties);
    const day = dayIn(properties['date']) ?? dayIn(properties['created']);
    return {
      ...(day === undefined ? {} : { day }),
      ...(Object.keys(properties).length === 0 ? {} : { properties: { ...properties } }),
    };
  } catch (error) {
    const [first = ''] = messageOf(error).split('\n');
    return { fault: first.replace(/:$/u, '') };
  }
}

/** Whether brackets, or marks as in `- - - x`, may be nested too deeply to be parsed. */
function isNestedDeeply(text: string): boolean {
  const count = (part: string, mark: RegExp): number => part.match(mark)?.length ?? 0;
  if (count(text, /[[{]/gu) > MOST_BRACKETS) return true;
  return text.split(/[\r\n]/u).some((line) => count(line, /[-?:](?!\S)/gu) > MOST_MARKS);
}

function parseYaml(text: string): unknown {
  // Loaded here, because most notes have no front matter.
  const { parseDocument }: typeof yaml = requireHere('yaml');
  const document = parseDocument(text, { logLevel: 'silent', uniqueKeys: false, schema: 'core' });
  const [error] = document.errors;
  if (error !== undefined) throw error;
  return document.toJS({ maxAliasCount: MOST_ALIASES });
}

const requireHere = createRequire(import.meta.url);

/** Adds the keys of a mapping, in lower case, with a dot between those of mappings in it. */
function collect(
  value: object,
  prefix: string,
  depth: number,
  properties: Record<string, FactValue>,
): void {
  for (const [key, item] of Object.entries(value)) {
    if (Object.keys(properties).length >= MOST_PROPERTIES) return;
    const name = firstChars(folded(`${prefix}${key}`), LONGEST_VALUE);
    const fact = factOf(item);
    if (fact !== undefined) properties[name] = fact;
    else if (typeof item === 'object' && item !== null && depth < MOST_DEPTH) {
      collect(item, `${name}.`, depth + 1, properties);
    }
  }
}

function factOf(value: unknown): FactValue | undefined {
  if (!Array.isArray(value)) return plainOf(value);
  const items = value.slice(0, MOST_TAGS).flatMap((item) => plainOf(item) ?? []);
  return items.length === 0 ? undefined : items;
}

function plainOf(value: unknown): boolean | number | string | undefined {
  if (typeof value === 'string') return firstChars(value, LONGEST_VALUE);
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

const ISO_DAY = /^(\d{4})-(\d\d)-(\d\d)(?!\d)/;

function dayIn(value: FactValue | undefined): number | undefined {
  const match = typeof value === 'string' ? ISO_DAY.exec(value) : null;
  return match === null
    ? undefined
    : dayNumber(Number(match[1]), Number(match[2]), Number(match[3]));
}

/** `tags: [a, b c]`, where a tag can have several words, or `tags: a, b`. */
function tagsOf(properties: NoteFacts['properties'] = {}): readonly string[] {
  return [properties['tags'] ?? [], properties['tag'] ?? []]
    .flatMap((value) => (Array.isArray(value) ? value : String(value).split(/[,\s]+/u)))
    .map((tag) => folded(String(tag).trim().replace(/^#/u, '')))
    .filter((tag) => tag !== '');
}

/** Whether a text, without `#`, can be a tag: up to 500 letters, digits, `_`, `-` and `/`, and not only digits. */
export function isTag(text: string): boolean {
  return tagsInLine(`#${text}`)[0] === text;
}

/** Each `#tag` that is not a heading, or a place that a link leads to. Many scripts write vowels and tones as marks. */
function tagsInLine(line: string): readonly string[] {
  // Made here and not at every start, which few tags are read in.
  const tags = line.matchAll(
    /#(?<![^\s([{,;]#|\]\([ \t]{0,9}#)([\p{L}\p{N}_][\p{L}\p{M}\p{N}_/-]{0,499})/gu,
  );
  return Array.from(tags, ([, tag = '']) => tag).filter((tag) => !/^\d+$/u.test(tag));
}

function tagsInText(lines: TextLines, from: number): readonly string[] {
  // Finding blocks of code takes far longer, and most texts have only headings.
  if (tagsInLine(lines.text).length === 0) return [];
  const tags = new Set<string>();
  const fences = new CodeFences();
  for (let at = from; at < lines.count && tags.size < MOST_TAGS; at++) {
    const line = lineAt(lines, at);
    if (fences.isCode(line) || !line.includes('#')) continue;
    for (const tag of tagsInLine(withoutInlineCode(line))) tags.add(folded(tag));
  }
  return [...tags];
}
