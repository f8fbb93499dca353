import { posix } from 'node:path';
import { groupBy, uniqueBy } from '../../support/lists.js';
import { folded } from '../../support/text.js';
import type { LinkingDocument } from '../index/index.js';
import type { SearchOutput } from '../search/output-schemas.js';
import type { DocumentKey, NoteLink } from '../types.js';
import type { ResolvedLink } from './output-schemas.js';

/** A note that a file links to or is linked from. */
type Neighbour = NonNullable<SearchOutput['results'][number]['related']>[number];

/** The links between the files of a memory, resolved when they are read: a target may be added later. */
export type LinkMap = ReturnType<typeof createLinkMap>;

/** @param documents all indexed files: nothing else is a target */
export function createLinkMap(
  documents: readonly Pick<DocumentKey, 'path' | 'source'>[],
  linking: readonly LinkingDocument[],
) {
  const targets = new Targets(
    documents.flatMap((one) => (one.source === 'memory' ? one.path : [])),
  );
  const links = linking
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .flatMap(({ path, links }) =>
      uniqueBy(links, keyOf).flatMap((link) => targets.resolve(path, link) ?? []),
    );
  const from = groupBy(links, (link) => link.from);
  const to = groupBy(links, (link) => link.to);
  const out = (path: string): readonly ResolvedLink[] => from.get(path) ?? [];
  const back = (path: string): readonly ResolvedLink[] =>
    (to.get(path) ?? []).filter((link) => link.from !== path);
  return {
    /** The links of a note, in order. */
    out,
    /** The links of other notes to a file, by note. */
    back,
    /** The links to no file, or to a name that several files have, by note. */
    broken: (): readonly ResolvedLink[] => to.get(null) ?? [],
    /** The other files that a file is linked with, its own links first. */
    neighbours: (path: string): readonly Neighbour[] => {
      const linked = new Set(out(path).flatMap((link) => link.to ?? []));
      linked.delete(path);
      const linking = new Set(back(path).map((link) => link.from));
      return [
        ...[...linked].map((one): Neighbour => {
          return { path: one, relation: linking.has(one) ? 'both' : 'links' };
        }),
        ...[...linking]
          .filter((one) => !linked.has(one))
          .map((one): Neighbour => ({ path: one, relation: 'linked_from' })),
      ].slice(0, MOST_RELATED);
    },
  };
}

/** The same for links that a line repeats. */
function keyOf({ line, kind, target, heading }: NoteLink): string {
  return JSON.stringify([line, kind, target, heading]);
}

/** How many notes are shown that a search result is linked with. */
const MOST_RELATED = 10;

/** Files that notes show or attach; they need not be indexed. */
const ATTACHMENT =
  /\.(?:avif|base|bmp|canvas|csv|docx?|excalidraw|flac|gif|jpe?g|m4a|mkv|mov|mp[34]|ogg|pdf|png|svg|wav|webm|webp|xlsx?|zip)$/iu;
const NOTE = /\.(?:markdown|md)$/iu;

const MOST_CANDIDATES = 5;

interface NamedPath {
  readonly path: string;
  /** To be compared: with a slash, without its ending. */
  readonly name: string;
}

class Targets {
  private readonly paths: ReadonlySet<string>;
  private readonly byName: ReadonlyMap<string, readonly NamedPath[]>;

  constructor(paths: readonly string[]) {
    this.paths = new Set(paths);
    const named = paths.map((path) => ({ path, name: folded(withoutEnding(`/${path}`)) }));
    this.byName = groupBy(named, ({ name }) => lastPart(name));
  }

  /** Undefined for a link to something that is not a note: it is neither resolved nor broken. */
  resolve(from: string, link: NoteLink): ResolvedLink | undefined {
    const found = this.byPath(from, link) ?? this.byUniqueName(link);
    if (typeof found === 'string') return { ...link, from, to: found };
    const isNote =
      link.kind === 'wiki'
        ? !ATTACHMENT.test(link.target) && !link.target.endsWith('/')
        : NOTE.test(link.target);
    if (!isNote) return undefined;
    return found === undefined
      ? { ...link, from, to: null }
      : { ...link, from, to: null, candidates: found };
  }

  /** Relative to the note, then to the workspace. */
  private byPath(from: string, { target }: NoteLink): string | undefined {
    const bases = target.startsWith('/') ? [''] : [posix.dirname(from), ''];
    for (const base of bases) {
      const path = posix.join(base, target.replace(/^\/+/u, ''));
      const found = [path, `${path}.md`].find((one) => this.paths.has(one));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The only file with this name, in any case; of `folder/Name`, those in such a folder. */
  private byUniqueName({ target }: NoteLink): string | readonly string[] | undefined {
    if (target.includes('..')) return undefined;
    const end = folded(withoutEnding(`/${target.replace(/^(?:\.?\/)+/u, '')}`));
    const named = this.byName.get(lastPart(end)) ?? [];
    const found = named.filter(({ name }) => name.endsWith(end)).map(({ path }) => path);
    const [only, ...others] = found;
    return others.length === 0 ? only : found.slice(0, MOST_CANDIDATES);
  }
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function withoutEnding(path: string): string {
  return path.replace(NOTE, '');
}
