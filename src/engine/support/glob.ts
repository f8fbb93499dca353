/** No real pattern is longer. */
export const LONGEST_GLOB = 256;

export interface GlobOptions {
  /** Whether wildcards match names that start with a dot. */
  readonly dot: boolean;
}

/** Whether a wildcard or a class matches a character. @param first whether it is the first of a name */
type Accepts = (character: string, first: boolean) => boolean;

type Piece =
  /** `folders` is `**` and its slash. */
  | { readonly type: 'folders' | 'many' | 'one'; readonly accepts: Accepts }
  | { readonly type: 'choice'; readonly branches: readonly (readonly Piece[])[] };

/** A state that consumes a character, or one that branches; `end` accepts. */
type State =
  | { readonly accepts: Accepts; readonly next: number }
  | { readonly ways: number[] }
  | 'end';

const SPECIAL = /[*?[{]/u;
const EXTENDED = /[!?*+@]\([^)]*\)/u;

/** Whether a text is a pattern rather than a file name. */
export function isGlob(text: string): boolean {
  return text.startsWith('!') || SPECIAL.test(text.replaceAll(/\\./gu, ''));
}

/**
 * A matcher for paths with forward slashes: `*` and `?` within a name, `**` for any folders, `[a-z]`,
 * `[!a-z]`, `{one,other}`, a leading `!` for negation, `\` to escape a character.
 *
 * All branches are followed at once, so the time is at most proportional to the length of the path times
 * that of the pattern. Matchers based on regular expressions backtrack, which takes forever for a few dozen
 * stars.
 *
 * @throws RangeError for a pattern that is not valid
 */
export function createGlob(glob: string, { dot }: GlobOptions): (path: string) => boolean {
  if (glob === '') throw new RangeError('it is empty');
  if (glob.length > LONGEST_GLOB)
    throw new RangeError(`it is longer than ${LONGEST_GLOB} characters`);
  const extended = EXTENDED.exec(glob)?.[0];
  if (extended !== undefined) throw new RangeError(`${extended} is not understood, only {a,b} is`);
  const marks = /^(?:!(?!\())*/u.exec(glob)?.[0].length ?? 0;
  const isNegated = marks % 2 === 1;
  const pattern = glob.slice(marks).replace(/^\.\//u, '');
  const states: State[] = ['end'];
  const start = addStates(states, new Parser(pattern, dot).pieces(), 0);
  return (path) => isMatch(states, start, path) !== isNegated;
}

/** Parses a pattern; an unclosed bracket is a literal. */
class Parser {
  private readonly characters: readonly string[];
  private readonly any: Accepts;
  private at = 0;
  private depth = 0;

  constructor(glob: string, dot: boolean) {
    this.characters = [...glob];
    this.any = wild(dot);
  }

  /** To the end, or inside braces to the next comma or closing brace. */
  pieces(): readonly Piece[] {
    const pieces: Piece[] = [];
    for (;;) {
      const character = this.characters[this.at];
      if (character === undefined) return pieces;
      if (this.depth > 0 && (character === ',' || character === '}')) return pieces;
      pieces.push(this.piece(character));
    }
  }

  private piece(character: string): Piece {
    switch (character) {
      case '*':
        return this.stars();
      case '?':
        this.at += 1;
        return { type: 'one', accepts: this.any };
      case '[':
        return this.class() ?? this.literal(character);
      case '{':
        return this.isClosed() ? this.choice() : this.literal(character);
      case '\\':
        this.at += 1;
        return this.literal(this.characters[this.at] ?? character);
      default:
        return this.literal(character);
    }
  }

  private literal(character: string): Piece {
    this.at += 1;
    return { type: 'one', accepts: (other) => other === character };
  }

  private stars(): Piece {
    const { characters } = this;
    const from = this.at;
    while (characters[this.at] === '*') this.at += 1;
    const before = characters[from - 1];
    const next = characters[this.at];
    const isWholeName =
      this.at - from === 2 && (before === undefined || '/{,'.includes(before)) && startsName(next);
    if (!isWholeName) return { type: 'many', accepts: this.any };
    const accepts: Accepts = (one, first) => one === '/' || this.any(one, first);
    if (next !== '/') return { type: 'many', accepts };
    this.at += 1;
    return { type: 'folders', accepts };
  }

  /** Undefined, without reading anything, where it is not closed. */
  private class(): Piece | undefined {
    const { characters } = this;
    const isNegated = ['!', '^'].includes(characters[this.at + 1] ?? '');
    const from = this.at + (isNegated ? 2 : 1);
    const ranges: (readonly [string, string])[] = [];
    for (let at = from; at < characters.length; at++) {
      if (characters[at] === ']' && at > from) {
        this.at = at + 1;
        const { any } = this;
        const isIn = (one: string): boolean =>
          ranges.some(([low, high]) => low <= one && one <= high);
        return { type: 'one', accepts: (one, first) => any(one, first) && isIn(one) !== isNegated };
      }
      if (characters[at] === '\\') at += 1;
      const low = characters[at] ?? '';
      const high = characters[at + 2];
      const isRange = characters[at + 1] === '-' && high !== undefined && high !== ']';
      if (isRange) at += 2;
      ranges.push([low, isRange ? high : low]);
    }
    return undefined;
  }

  private isClosed(): boolean {
    let depth = 0;
    for (let at = this.at; at < this.characters.length; at++) {
      const character = this.characters[at];
      if (character === '\\') at += 1;
      else if (character === '{') depth += 1;
      else if (character === '}' && --depth === 0) return true;
    }
    return false;
  }

  private choice(): Piece {
    const branches: (readonly Piece[])[] = [];
    this.depth += 1;
    do {
      this.at += 1;
      branches.push(this.pieces());
    } while (this.characters[this.at] === ',');
    this.depth -= 1;
    this.at += 1;
    return { type: 'choice', branches };
  }
}

function startsName(character: string | undefined): boolean {
  return character === undefined || character === '/' || character === ',' || character === '}';
}

/** Any character of a name; a leading dot only with `dot`. */
function wild(dot: boolean): Accepts {
  return (character, first) => character !== '/' && (dot || !first || character !== '.');
}

/** Adds the states of pieces that are followed by `next`. @returns the first state */
function addStates(states: State[], pieces: readonly Piece[], next: number): number {
  return pieces.reduceRight((after, piece) => addPiece(states, piece, after), next);
}

function addPiece(states: State[], piece: Piece, next: number): number {
  const add = (state: State): number => states.push(state) - 1;
  switch (piece.type) {
    case 'one':
      return add({ accepts: piece.accepts, next });
    case 'many': {
      const ways = [next];
      const loop = add({ ways });
      ways.push(add({ accepts: piece.accepts, next: loop }));
      return loop;
    }
    case 'folders': {
      const ways: number[] = [];
      const loop = add({ ways });
      ways.push(add({ accepts: piece.accepts, next: loop }));
      ways.push(add({ accepts: (one) => one === '/', next }));
      return add({ ways: [next, loop] });
    }
    case 'choice':
      return add({ ways: piece.branches.map((branch) => addStates(states, branch, next)) });
  }
}

function isMatch(states: readonly State[], start: number, path: string): boolean {
  // The step in which a state was last reached, so that each is visited once per step.
  const reachedIn = new Uint32Array(states.length);
  let active = [start];
  let step = 1;
  let first = true;
  follow(states, active, reachedIn, step);
  for (const character of path) {
    step += 1;
    const taken: number[] = [];
    for (const at of active) {
      const state = states[at];
      if (typeof state !== 'object' || !('accepts' in state)) continue;
      if (reachedIn[state.next] === step || !state.accepts(character, first)) continue;
      reachedIn[state.next] = step;
      taken.push(state.next);
    }
    if (taken.length === 0) return false;
    follow(states, taken, reachedIn, step);
    active = taken;
    first = character === '/';
  }
  return active.some((at) => states[at] === 'end');
}

/** Adds the states that are reached without consuming a character. */
function follow(
  states: readonly State[],
  active: number[],
  reachedIn: Uint32Array,
  step: number,
): void {
  // The loop also visits the states that it appends.
  for (const at of active) {
    const state = states[at];
    if (typeof state !== 'object' || !('ways' in state)) continue;
    for (const way of state.ways) {
      if (reachedIn[way] === step) continue;
      reachedIn[way] = step;
      active.push(way);
    }
  }
}
