/** A full-text expression, as in SQLite. */
export type MatchNode =
  | { readonly type: 'phrase'; readonly text: string; readonly isPrefix: boolean }
  | { readonly type: 'and' | 'or'; readonly parts: readonly MatchNode[] }
  | { readonly type: 'not'; readonly wanted: MatchNode; readonly unwanted: MatchNode };

export type PhraseNode = Extract<MatchNode, { readonly type: 'phrase' }>;

const TOKEN = /\s*(?:"((?:[^"]|"")*)"|(AND|OR|NOT|[()*]))/guy;

/**
 * Parses what matchExpression and the terms of queries are made of: quoted phrases, `*` after a phrase, AND, OR, NOT
 * and parentheses. NOT binds closest, then AND, as in SQLite.
 */
export function parseMatch(match: string): MatchNode {
  const tokens = [...match.matchAll(TOKEN)].map(([, phrase, sign]) => ({
    phrase: phrase?.replaceAll('""', '"'),
    sign,
  }));
  let at = 0;
  const takes = (sign: string): boolean => {
    if (tokens[at]?.sign !== sign) return false;
    at += 1;
    return true;
  };
  const joined = (type: 'and' | 'or', sign: string, part: () => MatchNode): MatchNode => {
    const first = part();
    const parts = [first];
    while (takes(sign)) parts.push(part());
    return parts.length === 1 ? first : { type, parts };
  };
  const either = (): MatchNode => joined('or', 'OR', both);
  const both = (): MatchNode => joined('and', 'AND', without);
  const without = (): MatchNode => {
    let node = single();
    while (takes('NOT')) node = { type: 'not', wanted: node, unwanted: single() };
    return node;
  };
  const single = (): MatchNode => {
    if (takes('(')) {
      const inner = either();
      if (!takes(')')) throw new Error(`a parenthesis is missing in ${match}`);
      return inner;
    }
    const text = tokens[at]?.phrase;
    if (text === undefined) throw new Error(`not a full-text expression: ${match}`);
    at += 1;
    return { type: 'phrase', text, isPrefix: takes('*') };
  };
  const node = either();
  if (at < tokens.length) throw new Error(`not a full-text expression: ${match}`);
  return node;
}

/** The phrases of an expression, in their order. */
export function phrasesOf(node: MatchNode): readonly PhraseNode[] {
  if (node.type === 'phrase') return [node];
  if (node.type === 'not') return [...phrasesOf(node.wanted), ...phrasesOf(node.unwanted)];
  return node.parts.flatMap(phrasesOf);
}
